// How many messages a client may send. Up to a steady rate it always may; what goes beyond comes
// out of one bucket for all clients, so that the network's thread is there for everybody, however
// many send as much as they can. And none may send more than a highest rate.
#pragma once

#include "server/net/server.h"
#include "server/net/token_bucket.h"

namespace sluice::net {

class MessageAllowance {
 public:
  using Time = TokenBucket::Clock::time_point;

  /// `spare`: what all clients share; must outlive this.
  MessageAllowance(const Limits& limits, TokenBucket& spare)
      : all_(limits.messages_per_second, limits.messages_per_second),
        steady_(limits.steady_messages_per_second, limits.steady_messages_per_second),
        spare_(spare) {}

  /// Whether another message may be read; it is then paid for.
  [[nodiscard]] bool take(Time now) {
    return all_.take(1, now) && (steady_.take(1, now) || borrow(now));
  }

  /// What was read counts as so many messages more.
  void charge(double messages, Time now) {
    all_.charge(messages, now);
    charge_work(messages, now);
  }
  /// Likewise, but for the client's highest rate.
  void charge_work(double messages, Time now) { steady_.charge(messages, now); }

 private:
  // What is owed for earlier messages is paid with it.
  bool borrow(Time now) {
    const double missing = steady_.missing(1);
    if (!spare_.take(missing, now)) return false;
    steady_.add(missing);
    return steady_.take(1, now);
  }

  TokenBucket all_;
  TokenBucket steady_;
  TokenBucket& spare_;
};

}  // namespace sluice::net
