#include "server/host/metrics.h"

#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "protocol/base/assert.h"

namespace sluice::host {

namespace {

using Labels = std::map<std::string, std::string>;

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help,
                         const Labels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
}

prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help,
                             const Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
}

prometheus::Histogram& histogram(prometheus::Registry& registry, const char* name, const char* help,
                                 const Labels& labels) {
  const prometheus::Histogram::BucketBoundaries seconds = {
      0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0};
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add(labels, seconds);
}

// Our counters already are sums; Prometheus' only take increments.
void raise_to(prometheus::Counter& counter, std::uint64_t value) {
  const double missing = static_cast<double>(value) - counter.Value();
  if (missing > 0) counter.Increment(missing);
}

class PrometheusWorldMetrics final : public WorldMetrics {
 public:
  PrometheusWorldMetrics(prometheus::Registry& r, const Labels& l)
      : tick_(gauge(r, "sluice_tick", "Number of the last tick", l)),
        tick_seconds_(histogram(r, "sluice_tick_seconds", "Duration of a tick", l)),
        lateness_seconds_(histogram(r, "sluice_tick_lateness_seconds",
                                    "How long after its due time a tick began", l)),
        dropped_ticks_(counter(r, "sluice_dropped_ticks_total",
                               "Ticks let go because the world was too far behind", l)),
        active_chunks_(gauge(r, "sluice_active_chunks", "Chunks awake after the last tick", l)),
        chunks_(gauge(r, "sluice_chunks", "Chunks stored", l)),
        applied_(counter(r, "sluice_commands_applied_total", "Commands that applied", l)),
        refused_(counter(r, "sluice_commands_refused_total",
                         "Commands that reached a tick and could not apply", l)),
        recorder_lag_(gauge(r, "sluice_recorder_lag_ticks", "Ticks not yet durable", l)),
        clients_(gauge(r, "sluice_clients", "WebSocket clients", l)),
        frames_(counter(r, "sluice_frames_total", "Tick messages sent", l)),
        skipped_(counter(r, "sluice_frames_skipped_total",
                         "Ticks that a slow client got merged into a later one", l)),
        bytes_(counter(r, "sluice_sent_bytes_total", "Bytes of messages to clients", l)),
        claims_(counter(r, "sluice_digest_mismatches_total",
                        "Chunks and pipe sections that clients say are different from the server's",
                        l)),
        mismatches_(counter(r, "sluice_confirmed_mismatches_total",
                            "Chunks of which viewers were sent something else than the world holds",
                            l)),
        bad_messages_(counter(r, "sluice_bad_messages_total",
                              "Clients closed for a message that makes no sense", l)),
        received_(counter(r, "sluice_commands_received_total", "Commands from clients", l)),
        turned_away_(counter(r, "sluice_commands_turned_away_total",
                             "Commands refused before they reached a tick", l)),
        reads_slowed_(counter(r, "sluice_reads_slowed_total",
                              "Pauses before more is read from a client that sends too much", l)),
        over_limits_(counter(r, "sluice_over_limits_total",
                             "Commands and views refused for the limits of a role", l)),
        verified_tick_(gauge(r, "sluice_verified_tick",
                             "Last tick that was found to replay in the background", l)),
        verify_alarm_(
            gauge(r, "sluice_verify_alarm", "1 when the recording was found not to replay", l)),
        bundles_(counter(r, "sluice_bundles_total", "Bundles written for mismatches", l)),
        backup_tick_(gauge(r, "sluice_backup_tick", "Last tick of the newest backup made", l)),
        backups_(counter(r, "sluice_backups_total", "Backups made", l)),
        backup_failures_(
            counter(r, "sluice_backup_failures_total", "Backups that could not be made", l)),
        disk_free_(gauge(r, "sluice_disk_free_bytes", "Free on the recording's disk", l)),
        recording_(gauge(r, "sluice_recording_bytes", "The recording's size", l)),
        grown_(gauge(r, "sluice_recording_grown_bytes",
                     "That the recording grew by in the last 24 hours", l)),
        edits_refused_(gauge(r, "sluice_edits_refused",
                             "1 while edits are refused for the sake of the disk", l)),
        cuts_(counter(r, "sluice_history_cuts_total",
                      "Times that old history was cut off while the world ran", l)),
        cut_failures_(counter(r, "sluice_history_cut_failures_total",
                              "Times that it could not be cut off", l)),
        kept_ticks_(gauge(r, "sluice_recording_ticks", "Ticks that the recording holds", l)),
        held_back_(gauge(r, "sluice_history_cut_held_back_seconds",
                         "That the last cut kept commits waiting", l)),
        looking_back_(gauge(r, "sluice_look_back_positions", "Positions in its past", l)),
        look_backs_(counter(r, "sluice_look_backs_total", "Positions made in its past", l)),
        look_backs_refused_(counter(r, "sluice_look_backs_refused_total",
                                    "Positions in its past that were refused", l)),
        owners_(gauge(r, "sluice_owners", "Who own anything, where a role is bound in that", l)),
        owned_cells_(gauge(r, "sluice_owned_cells", "Cells of rock that they own", l)),
        owned_pipes_(gauge(r, "sluice_owned_pipes", "Pipes, pumps and valves that they own", l)),
        owned_bytes_(gauge(r, "sluice_owned_bytes", "Of memory, that this takes", l)),
        paused_(gauge(r, "sluice_paused", "1 while its time is held", l)) {}

  void report(const TickSample& sample) override {
    tick_.Set(static_cast<double>(sample.tick));
    tick_seconds_.Observe(sample.seconds);
    lateness_seconds_.Observe(sample.lateness_seconds);
    raise_to(dropped_ticks_, sample.dropped_ticks);
    active_chunks_.Set(static_cast<double>(sample.active_chunks));
    chunks_.Set(static_cast<double>(sample.stored_chunks));
    applied_.Increment(static_cast<double>(sample.commands_applied));
    refused_.Increment(static_cast<double>(sample.commands_refused));
    recorder_lag_.Set(static_cast<double>(sample.recorder_lag_ticks));
  }

  void report(const net::HubCounters& counters) override {
    clients_.Set(static_cast<double>(counters.viewers.load()));
    raise_to(frames_, counters.frames);
    raise_to(skipped_, counters.frames_skipped);
    raise_to(bytes_, counters.bytes);
    raise_to(claims_, counters.resyncs);
    raise_to(mismatches_, counters.mismatches);
    raise_to(bad_messages_, counters.bad_messages);
    raise_to(received_, counters.commands);
    raise_to(turned_away_, counters.commands_refused);
    raise_to(reads_slowed_, counters.reads_slowed);
    raise_to(over_limits_, counters.over_limits);
  }

  void report(const VerifierSample& sample) override {
    verified_tick_.Set(static_cast<double>(sample.verified_tick));
    verify_alarm_.Set(sample.alarmed ? 1 : 0);
    raise_to(bundles_, sample.bundles);
  }

  void report(const BackupSample& sample) override {
    backup_tick_.Set(static_cast<double>(sample.tick));
    raise_to(backups_, sample.made);
    raise_to(backup_failures_, sample.failures);
  }

  void report(const DiskSample& sample) override {
    if (sample.free_bytes != UINT64_MAX) disk_free_.Set(static_cast<double>(sample.free_bytes));
    recording_.Set(static_cast<double>(sample.recording_bytes));
    grown_.Set(static_cast<double>(sample.grown_bytes));
    edits_refused_.Set(sample.refuses_edits ? 1 : 0);
  }

  void report(const CutSample& sample) override {
    raise_to(cuts_, sample.made);
    raise_to(cut_failures_, sample.failures);
    kept_ticks_.Set(static_cast<double>(sample.kept_ticks));
    held_back_.Set(sample.held_back_seconds);
  }

  void report(const LookBackSample& sample) override {
    looking_back_.Set(static_cast<double>(sample.positions));
    raise_to(look_backs_, sample.made);
    raise_to(look_backs_refused_, sample.refused);
  }

  void report(const OwnedSample& sample) override {
    owners_.Set(static_cast<double>(sample.owners));
    owned_cells_.Set(static_cast<double>(sample.owned.cells));
    owned_pipes_.Set(static_cast<double>(sample.owned.pipes));
    owned_bytes_.Set(static_cast<double>(sample.bytes));
  }

  void report_paused(bool paused) override { paused_.Set(paused ? 1 : 0); }

 private:
  prometheus::Gauge& tick_;
  prometheus::Histogram& tick_seconds_;
  prometheus::Histogram& lateness_seconds_;
  prometheus::Counter& dropped_ticks_;
  prometheus::Gauge& active_chunks_;
  prometheus::Gauge& chunks_;
  prometheus::Counter& applied_;
  prometheus::Counter& refused_;
  prometheus::Gauge& recorder_lag_;
  prometheus::Gauge& clients_;
  prometheus::Counter& frames_;
  prometheus::Counter& skipped_;
  prometheus::Counter& bytes_;
  prometheus::Counter& claims_;
  prometheus::Counter& mismatches_;
  prometheus::Counter& bad_messages_;
  prometheus::Counter& received_;
  prometheus::Counter& turned_away_;
  prometheus::Counter& reads_slowed_;
  prometheus::Counter& over_limits_;
  prometheus::Gauge& verified_tick_;
  prometheus::Gauge& verify_alarm_;
  prometheus::Counter& bundles_;
  prometheus::Gauge& backup_tick_;
  prometheus::Counter& backups_;
  prometheus::Counter& backup_failures_;
  prometheus::Gauge& disk_free_;
  prometheus::Gauge& recording_;
  prometheus::Gauge& grown_;
  prometheus::Gauge& edits_refused_;
  prometheus::Counter& cuts_;
  prometheus::Counter& cut_failures_;
  prometheus::Gauge& kept_ticks_;
  prometheus::Gauge& held_back_;
  prometheus::Gauge& looking_back_;
  prometheus::Counter& look_backs_;
  prometheus::Counter& look_backs_refused_;
  prometheus::Gauge& owners_;
  prometheus::Gauge& owned_cells_;
  prometheus::Gauge& owned_pipes_;
  prometheus::Gauge& owned_bytes_;
  prometheus::Gauge& paused_;
};

}  // namespace

/// A registry for each world, so that all of a world goes at once.
struct Metrics::Implementation {
  struct World {
    prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
    std::unique_ptr<WorldMetrics> metrics;
  };
  prometheus::Registry server;
  prometheus::Gauge& hosted = gauge(server, "sluice_worlds", "Worlds that are hosted", {});
  prometheus::Gauge& not_hosted =
      gauge(server, "sluice_worlds_not_hosted", "Worlds that are unloaded, or failed to load", {});
  prometheus::Gauge& look_back =
      gauge(server, "sluice_look_back_bytes", "Held by those who look back, in all worlds", {});
  prometheus::Gauge& connections =
      gauge(server, "sluice_connections", "Connections within the limits", {});
  prometheus::Counter& connections_refused =
      counter(server, "sluice_connections_refused_total",
              "Requests turned away because there were too many connections", {});
  std::mutex mutex;
  std::map<std::string, World> worlds;  // guarded by mutex
};

Metrics::Metrics() : implementation_(std::make_unique<Implementation>()) {}
Metrics::~Metrics() = default;

WorldMetrics& Metrics::add_world(const std::string& name) {
  const std::lock_guard lock(implementation_->mutex);
  const auto [place, is_new] = implementation_->worlds.try_emplace(name);
  SLUICE_ASSERT(is_new);
  Implementation::World& world = place->second;
  world.metrics = std::make_unique<PrometheusWorldMetrics>(world.registry, Labels{{"world", name}});
  return *world.metrics;
}

void Metrics::remove_world(const std::string& name) {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->worlds.erase(name);
}

void Metrics::report_worlds(std::size_t hosted, std::size_t not_hosted) {
  implementation_->hosted.Set(static_cast<double>(hosted));
  implementation_->not_hosted.Set(static_cast<double>(not_hosted));
}

void Metrics::report_look_back(std::size_t bytes) {
  implementation_->look_back.Set(static_cast<double>(bytes));
}

void Metrics::report_connections(std::size_t open, std::uint64_t refused) {
  implementation_->connections.Set(static_cast<double>(open));
  raise_to(implementation_->connections_refused, refused);
}

// A metric stands in the text once, with all worlds under it.
std::string Metrics::text() const {
  const std::lock_guard lock(implementation_->mutex);
  std::vector<prometheus::MetricFamily> all = implementation_->server.Collect();
  std::map<std::string, std::size_t> places;
  for (const auto& [name, world] : implementation_->worlds) {
    for (prometheus::MetricFamily& family : world.registry.Collect()) {
      const auto [place, is_new] = places.emplace(family.name, all.size());
      if (is_new) {
        all.push_back(std::move(family));
        continue;
      }
      auto& metrics = all[place->second].metric;
      std::move(family.metric.begin(), family.metric.end(), std::back_inserter(metrics));
    }
  }
  return prometheus::TextSerializer().Serialize(all);
}

}  // namespace sluice::host
