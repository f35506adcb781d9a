#include "server/host/holdings.h"

#include <algorithm>
#include <chrono>

#include <spdlog/spdlog.h>

#include "server/host/visitor_mark.h"

namespace sluice::host {

namespace {

constexpr std::chrono::milliseconds kDurableLook{10};

}  // namespace

Holdings::~Holdings() {
  stop_counting();
}

void Holdings::stop_counting() {
  stopping_ = true;
  if (counting_.joinable()) counting_.join();
  stopping_ = false;
}

void Holdings::set_bounds(const access::LimitsByRole& limits) {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    bounds_[i] = {limits[i].cells_owned, limits[i].pipes_owned};
    any = any || bounds_[i].any();
  }
  any = any && !source_.recording.empty();
  if (any && key_.empty()) {
    auto key = visitors_key(source_.key_file);
    if (!key.ok()) {
      spdlog::error("{}: visitors' addresses can be guessed from its recording: {}", source_.name,
                    key.error());
    }
    key_ = key.ok() ? *key : source_.name;
  }
  wanted_ = any;
}

std::string Holdings::visitor_at(const std::string& address) const {
  if (!followed()) return {};
  const std::lock_guard lock(mutex_);
  return visitor_mark(key_, address);
}

void Holdings::adopt(Result<OwnedAt> counted, const sim::World& world) {
  if (!counted.ok()) {
    spdlog::error("{}: who owns what cannot be counted, so from now on nobody owns anything: {}",
                  source_.name, counted.error());
    owned_.emplace(world.grid().shape());
    return;
  }
  if (!counted->doubt.empty()) {
    counted->owned.keep_to(world);
    spdlog::warn("{}: who owns what is not certain: {}", source_.name, counted->doubt);
  }
  owned_ = std::move(counted->owned);
  spdlog::info("{}: {} own {} cells and {} pipes ({} commands counted)", source_.name,
               owned_->owners(), owned_->all().cells, owned_->all().pipes, counted->commands);
}

void Holdings::count_now(const sim::World& world) {
  if (!followed()) return;
  auto counted =
      count_owned(source_.recording, source_.file, world.tick_number(), world.grid().shape());
  const std::lock_guard lock(mutex_);
  adopt(std::move(counted), world);
  following_ = true;
}

void Holdings::begin_tick(const sim::World& world,
                          const std::function<std::uint64_t()>& durable_tick) {
  const bool followed_before = std::exchange(following_, followed());
  if (!following_) {
    if (!followed_before) return;
    stop_counting();
    const std::lock_guard lock(mutex_);
    owned_.reset();
    counted_.reset();
    return;
  }
  const std::lock_guard lock(mutex_);
  if (owned_) return;
  if (counted_) {
    counting_.join();
    adopt(std::move(*counted_), world);
    counted_.reset();
    return;
  }
  if (counting_.joinable()) return;
  // From here on nobody changes it, so its last tick is as good as any after it.
  counting_ =
      std::thread([this, durable_tick, tick = world.tick_number(), shape = world.grid().shape()] {
        while (durable_tick() < tick && !stopping_) std::this_thread::sleep_for(kDurableLook);
        auto counted = count_owned(source_.recording, source_.file, tick, shape, &stopping_);
        const std::lock_guard done(mutex_);
        counted_.emplace(std::move(counted));
      });
}

std::string Holdings::refusal_of(const record::RecordedCommand& command, access::Role role,
                                 const sim::World& world) const {
  if (!following_ || !Ownership::concerns(command.command)) return {};
  const std::lock_guard lock(mutex_);
  if (!owned_) {
    return "not yet: who owns what in this world is being counted for the limits of roles; try "
           "again in a moment";
  }
  return owned_->refusal_of(command.command, owner_in_history(command.client), role,
                            bounds_[static_cast<std::size_t>(role)], world.config().size);
}

std::int64_t Holdings::work_of(const sim::Command& command, const sim::World& world) const {
  if (!following_) return 0;
  const std::lock_guard lock(mutex_);
  return owned_ ? owned_->work_of(command, world.config().size) : 0;
}

void Holdings::note(const record::RecordedCommand& command) {
  if (!following_ || !Ownership::concerns(command.command)) return;
  const std::lock_guard lock(mutex_);
  if (owned_) owned_->apply(command.command, owner_in_history(command.client));
}

void Holdings::keep(const sim::World& world, bool durable) {
  stop_counting();
  const std::lock_guard lock(mutex_);
  if (!owned_ || !durable || !following_) return;
  const Status kept = keep_owned(source_.file, *owned_, world.tick_number(), world.digest());
  if (!kept)
    spdlog::warn("{}: the next start counts who owns what anew: {}", source_.name, kept.error());
}

std::optional<net::OwnedShare> Holdings::share_of(const std::string& account,
                                                  const std::string& address,
                                                  access::Role role) const {
  if (!followed()) return std::nullopt;
  const std::string who = account.empty() ? visitor_at(address) : account;
  const std::lock_guard lock(mutex_);
  const OwnedBound bound = bounds_[static_cast<std::size_t>(role)];
  if (!owned_ || !bound.any()) return std::nullopt;
  const Owned has = owned_->of(owner_in_history(record::client_in_history({}, who, {})));
  return net::OwnedShare{has.cells, bound.cells, has.pipes, bound.pipes};
}

OwnedSample Holdings::sample() const {
  const std::lock_guard lock(mutex_);
  if (!owned_) return {};
  return {true, owned_->owners(), owned_->all(), owned_->bytes()};
}

std::vector<std::pair<std::string, Owned>> Holdings::largest(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  return owned_ ? owned_->largest(most) : std::vector<std::pair<std::string, Owned>>();
}

}  // namespace sluice::host
