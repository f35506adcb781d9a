#include <utility>

#include "server/record/reader.h"
#include "server/record/recorder.h"

namespace sluice::record {

Result<Recovered> recover(const std::string& path, sim::Executor& executor) {
  auto reader = Reader::open(path);
  if (!reader) return Error{reader.error()};
  Result<WorldAt> last = world_at(**reader, (*reader)->last_tick(), executor);
  if (!last) return Error{last.error()};
  return Recovered{std::move(last->world), (*reader)->world_file_text(), last->replayed_ticks,
                   std::move(last->warnings)};
}

}  // namespace sluice::record
