#include "server/host/past_results.h"

#include <algorithm>
#include <utility>

#include "server/record/client_name.h"
#include "server/record/reader.h"

namespace sluice::host {

Result<net::PastResults> read_past_results(const std::string& recording, std::uint64_t ticks,
                                           std::size_t most) {
  auto reader = record::Reader::open(recording);
  if (!reader.ok()) return Error{reader.error()};
  record::Reader& history = *reader.value();
  const std::uint64_t last = history.last_tick();
  net::PastResults past;
  past.complete_since = std::max(history.first_tick(), last - std::min(last, ticks));
  if (past.complete_since == last) return past;
  const auto look_at = [&past, most](const record::TickRecord& tick) {
    for (const record::RecordedCommand& command : tick.commands) {
      const record::ClientName name = record::client_of(command.client);
      if (name.resume.empty()) continue;
      past.results.push_back({net::ResultBook::key_of(name.account, name.resume),
                              {command.seq, command.applied, tick.tick, command.reason}});
    }
    // Whoever sends much is not to fill the memory of the next start.
    while (past.results.size() > most) {
      past.complete_since = past.results.front().result.tick;
      past.results.pop_front();
    }
    return true;
  };
  if (const Status read = history.read_ticks(past.complete_since + 1, last, look_at); !read) {
    return Error{read.error()};
  }
  return past;
}

}  // namespace sluice::host
