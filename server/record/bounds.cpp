#include "server/record/bounds.h"

#include <string>
#include <variant>
#include <vector>

#include "server/record/format.h"
#include "server/sim/text.h"

namespace sluice::record {

namespace {

// Five numbers of at most ten bytes, and the lengths of two texts.
constexpr std::size_t kColumnBytes = 60;

void cut(std::string& text, std::size_t most_bytes) {
  if (text.size() > most_bytes) text = sim::cut_text(text, most_bytes);
}

/// Cuts the texts among the fields of a command.
class TextCutter {
 public:
  template <class T>
  void field(const char* /*name*/, T& value) {
    if constexpr (std::is_same_v<T, std::string>) cut(value, kMaxTextBytes);
  }
  void cell(const char* /*name*/, Cell& /*value*/) {}
  template <class T>
  void optional(const char* name, T& value) {
    field(name, value);
  }
  template <class T, class Names>
  void choice(const char* /*name*/, T& /*value*/, const Names& /*names*/) {}
};

}  // namespace

void bound(RecordedCommand& recorded) {
  cut(recorded.client, kMaxClientBytes);
  cut(recorded.reason, kMaxReasonBytes);
  TextCutter cutter;
  std::visit([&](auto& body) { std::decay_t<decltype(body)>::visit_state(body, cutter); },
             recorded.command.body);
}

std::size_t batch_bytes(const RecordedCommand& recorded) {
  std::vector<std::byte> body;
  sim::append_command(recorded.command, body);
  return kColumnBytes + recorded.client.size() + recorded.reason.size() + body.size();
}

std::size_t batch_bytes(const TickRecord& tick) {
  std::size_t bytes = 0;
  for (const RecordedCommand& recorded : tick.commands) bytes += batch_bytes(recorded);
  for (const RefusedMore& more : tick.refused_more) bytes += kColumnBytes + more.client.size();
  return bytes;
}

}  // namespace sluice::record
