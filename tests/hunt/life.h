// One life of the server's process: what Host::start composes, on one thread and on the run's time.
// It ends by stop(), or by being dropped at any moment.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/host/background_verifier.h"
#include "server/host/history_cutter.h"
#include "server/host/load_world.h"
#include "server/host/world_runner.h"
#include "server/net/network.h"
#include "server/net/session.h"
#include "tests/hunt/disk.h"
#include "tests/hunt/journal.h"
#include "tests/hunt/look_back.h"
#include "tests/hunt/memory.h"
#include "tests/hunt/plan.h"
#include "tests/hunt/timeline.h"
#include "tests/hunt/wire.h"

namespace sluice::hunt {

inline constexpr const char* kRecording = "/world.sluice";

/// Takes the pieces in any order.
class AnyOrder final : public sim::Executor {
 public:
  AnyOrder(std::uint64_t seed, bool shuffles) : dice_(seed), shuffles_(shuffles) {}
  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) override;

 private:
  tests::Dice dice_;
  const bool shuffles_;
};

class NoMetrics final : public host::WorldMetrics {
 public:
  void report(const host::TickSample& /*sample*/) override {}
  void report(const net::HubCounters& /*counters*/) override {}
  void report(const host::VerifierSample& /*sample*/) override {}
  void report(const host::BackupSample& /*sample*/) override {}
  void report(const host::DiskSample& /*sample*/) override {}
  void report(const host::CutSample& /*sample*/) override {}
  void report(const host::LookBackSample& /*sample*/) override {}
  void report(const host::OwnedSample& /*sample*/) override {}
  void report_paused(bool /*paused*/) override {}
};

/// What all of a run stands on.
struct Ground {
  explicit Ground(const Plan& the_plan)
      : plan(the_plan),
        spec(the_plan.world()),
        timeline(stream("timeline")),
        journal(timeline),
        disk(stream("disk")) {}
  /// A generator of its own for each purpose, so that leaving out one fault leaves the others as
  /// they were, as far as can be.
  [[nodiscard]] std::uint64_t stream(std::string_view purpose) const;
  /// Also where a repair is to put it there yet.
  [[nodiscard]] bool recording_is_there() const {
    return disk.find(kRecording) || disk.find(std::string(kRecording) + ".repaired");
  }

  const Plan plan;
  const sim::WorldSpec spec;
  Timeline timeline;
  Journal journal;
  Disk disk;
  Memory memory;
};

/// As a server's start repairs.
[[nodiscard]] record::RepairOptions repair_options(const Ground& ground);
/// Boxes that no client may change.
[[nodiscard]] std::vector<Box> areas_of(const Ground& ground);

class Life {
 public:
  struct Watcher {
    std::function<void(const host::WorldRunner&)> ticked;
    std::function<void()> died;  // within what it did last; it is to be dropped
    /// A client looked back; or why it could not.
    std::function<void(const Result<LookBack::Shown>&)> looked_back;
  };

  /// Brings the world up, as a server's start does. Error: why not.
  [[nodiscard]] static Result<std::unique_ptr<Life>> start(Ground& ground, std::uint64_t number,
                                                           Watcher watcher);
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  void accept(const std::shared_ptr<Wire>& wire);
  /// As on SIGTERM.
  void stop();
  /// As an operator ends connections: some of them, as the dice say. Returns how many.
  std::size_t kick(tests::Dice& dice);
  /// As an operator who lets the recording hold so many ticks, while the world runs.
  void seal(std::uint64_t keep);

  /// 1 for the first of a run.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] host::WorldRunner& runner() { return *runner_; }
  [[nodiscard]] access::Gate& gate() { return *gate_; }
  [[nodiscard]] const host::BackgroundVerifier& verifier() const { return *verifier_; }
  [[nodiscard]] const std::optional<record::Repair>& repaired() const { return repaired_; }
  /// What is wrong with what waits; empty while all of it is within its bounds.
  [[nodiscard]] std::string beyond_bounds() const;

 private:
  Life(Ground& ground, std::uint64_t number, Watcher watcher);
  void compose(host::LoadedWorld loaded);
  [[nodiscard]] std::unique_ptr<host::HistoryCutter> make_cutter();
  [[nodiscard]] std::unique_ptr<sim::World> shuffled(std::unique_ptr<sim::World> world);
  void after(Duration delay, const char* name, Timeline::Kind kind, std::function<void()> action);
  void step_runner();
  void step_writer();
  void step_verifier();
  void step_cutter();
  void sweep();
  void take_mail();
  [[nodiscard]] Status ask_to_look_back(const net::ClientCommand& command);

  Ground& ground_;
  const std::uint64_t number_;
  const Watcher watcher_;
  tests::Dice dice_;
  tests::Dice look_dice_;
  tests::Dice verifier_dice_;
  tests::Dice cutter_dice_;
  AnyOrder executor_;
  NoMetrics metrics_;
  std::optional<record::Repair> repaired_;
  std::unique_ptr<host::WorldRunner> runner_;
  std::unique_ptr<host::BackgroundVerifier> verifier_;
  std::unique_ptr<host::HistoryCutter> cutter_;  // null: nobody seals
  LookBack look_back_{kRecording};
  const std::shared_ptr<access::Gate> gate_;
  net::Network network_;
  net::Hub* hub_ = nullptr;
  std::vector<std::weak_ptr<Wire>> wires_;
  std::vector<std::weak_ptr<net::Session>> sessions_;
  bool writer_is_due_ = false;
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
};

}  // namespace sluice::hunt
