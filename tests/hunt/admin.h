// Those who run the server, beside what operate() in run.cpp does: saves, backups, clients sent
// away, a world in which nobody may build for a while, and calls that must be refused. What
// host::AdminApi does for each is done here on the run's one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tests/hunt/ledger.h"
#include "tests/hunt/life.h"

namespace sluice::hunt {

class Admin {
 public:
  Admin(Ground& ground, Ledger& ledger)
      : ground_(ground), ledger_(ledger), dice_(ground.stream("admin")) {}

  /// One of what there is to do. The process may have died of it (Disk::dead).
  void act(Life& life);
  /// Everybody may build again.
  static void calm(Life& life);
  /// At a quiet moment: what was asked for was done.
  void look(const Life& life);

 private:
  void save(Life& life);
  void back_up(Life& life);
  void call_wrongly(Life& life);
  void fail(const std::string& what) { ground_.journal.fail("admin", what); }
  [[nodiscard]] bool disk_is_well() const;

  struct Saved {
    std::uint64_t life = 0;
    std::uint64_t tick = 0;
  };

  Ground& ground_;
  Ledger& ledger_;
  tests::Dice dice_;
  std::uint64_t backups_ = 0;
  std::optional<Saved> saved_;  // what the next quiet moment must find
};

/// What a sweep is to see of it.
[[nodiscard]] std::span<const char* const> admin_acts();

}  // namespace sluice::hunt
