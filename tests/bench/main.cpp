// Runs the benchmarks, then puts the figures that have a baseline beside it, from this same run.
#include <cstdio>
#include <map>
#include <string>

#include <benchmark/benchmark.h>

namespace {

/// The usual table, and the median of each benchmark's rates for the summary.
class RatioReporter final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto rate = run.counters.find("items_per_second");
      const bool median = run.run_type == Run::RT_Aggregate && run.aggregate_name == "median";
      if (rate == run.counters.end() || (run.run_type == Run::RT_Aggregate && !median)) continue;
      const std::string& args = run.run_name.args;
      double& known = rates_[run.run_name.function_name + (args.empty() ? "" : "/") + args];
      // A repeated benchmark reports its median last; it then stands for all.
      known = rate->second.value;
    }
  }

  void summary() const {
    std::printf("\nratios, from the rates above\n");
    print("one thread : textbook float loop", "BM_Sweep/one_thread", "BM_TextbookSweep");
    print("portable kernels : textbook", "BM_Sweep/portable", "BM_TextbookSweep");
    print("two threads : one", "BM_Sweep/two_threads", "BM_Sweep/one_thread");
    print("block water, a tube beside a lake : textbook", "BM_BlockTube/1000",
          "BM_BlockTextbookTube");
    print("block water, 2,500 drops : textbook", "BM_BlockDrops", "BM_BlockTextbookDrops");
    print("stream water, a river of 800 cells : textbook's search alone", "BM_StreamLength/800",
          "BM_StreamTextbookWays/800");
    const auto sweep = rates_.find("BM_Sweep/one_thread");
    const auto digest = rates_.find("BM_DigestUpkeep");
    if (sweep == rates_.end() || digest == rates_.end()) return;
    // An active tick of eight sweeps and one digest; the rate of a sweep includes the digest.
    const double share = (1 / digest->second) / (8 / sweep->second);
    std::printf("  %-40s %8.2f %%\n", "digest upkeep of an active tick", 100 * share);
  }

 private:
  void print(const char* what, const char* of, const char* to) const {
    const auto a = rates_.find(of);
    const auto b = rates_.find(to);
    if (a == rates_.end() || b == rates_.end()) return;
    std::printf("  %-40s %8.2f\n", what, a->second / b->second);
  }

  std::map<std::string, double> rates_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.summary();
  return 0;
}
