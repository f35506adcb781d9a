// Every command, once: a row of `CommandRows` below. Its struct (rows.h, pipes/commands.h) gives
// the id, the name and the fields; dispatch, the canonical byte form, scripts and messages follow
// from it. All apply in the tick's first phase, in the order given.
//
// Byte form (append_command / read_command), little-endian:
//   u16 opcode, then the fields in the order of visit_state, each in its width.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/commands/rows.h"
#include "server/sim/pipes/commands.h"

namespace sluice::sim {

/// The manifest.
using CommandRows =
    std::variant<SetCells, RestingPour, MixedPour, DyedPour, WarmPour, RisingPour, Pour,
                 RemoveWater, AddDyedSource, AddWarmSource, AddSourceUpTo, AddSource, RemoveSource,
                 AddDrain, RemoveDrain, AddPipe, AddPump, AddValve, RemovePipe, UpgradePipeAndBase,
                 UpgradePipe, LinkPipes, UnlinkPipes, SetValve, SetPump, AddPort, RemovePort,
                 FillLevel, EvaporateLevel, TrapAir, Splash, Explode, MoveBody, SetWind, SetAir,
                 AddHeater, RemoveHeater>;

/// Rows that scripts and clients know by another one of the same name.
template <class Row>
inline constexpr bool is_only_recorded = requires {
  Row::kOnlyRecorded;
};

/// What tells the rows of the manifest apart: on disk the opcode, in scripts the name, and of rows
/// with one name the key that they have. Scripts take the first row that fits, so that of several
/// rows with one name the one without a key stands last.
template <class... Rows>
consteval bool rows_are_told_apart(const std::variant<Rows...>* /*manifest*/) {
  struct Row {
    std::uint16_t opcode = 0;
    std::string_view name;
    std::string_view with;
  };
  constexpr auto row_of = []<class R>(std::type_identity<R> /*row*/) {
    if constexpr (is_only_recorded<R>) {
      return Row{R::kOpcode, {}, {}};
    } else if constexpr (requires { R::kWithKey; }) {
      return Row{R::kOpcode, R::kName, R::kWithKey};
    } else {
      return Row{R::kOpcode, R::kName, {}};
    }
  };
  const std::array<Row, sizeof...(Rows)> rows = {row_of(std::type_identity<Rows>{})...};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      if (rows[before].opcode == rows[i].opcode) return false;
      if (rows[i].name.empty() || rows[before].name != rows[i].name) continue;
      if (rows[before].with.empty() || rows[before].with == rows[i].with) return false;
    }
  }
  return true;
}
static_assert(rows_are_told_apart(static_cast<const CommandRows*>(nullptr)));

template <class Row, class... Rows>
consteval bool is_row(const std::variant<Rows...>* /*manifest*/) {
  return (std::is_same_v<Row, Rows> || ...);
}

/// One of the manifest's rows, as a variant is. What makes, copies, moves and ends it is compiled
/// once, in commands.cpp: each of these is as many functions as there are rows, and sources that
/// made them for themselves took half as long again to compile.
class CommandBody : public CommandRows {
 public:
  CommandBody();
  template <class Row>
  requires(is_row<Row>(static_cast<const CommandRows*>(nullptr))) CommandBody(Row row)
      : CommandBody(of(std::move(row))) {}
  CommandBody(const CommandBody& other);
  CommandBody(CommandBody&& other) noexcept;
  CommandBody& operator=(const CommandBody& other);
  CommandBody& operator=(CommandBody&& other) noexcept;
  ~CommandBody();

  /// For each row of the manifest; defined and used for all of them in commands.cpp.
  template <class Row>
  [[nodiscard]] static CommandBody of(Row row);

 private:
  template <class Row>
  CommandBody(std::in_place_type_t<Row> type, Row&& row) : CommandRows(type, std::move(row)) {}
};

struct Command {
  CommandBody body;
};

/// What became of a command: an empty reason means that it applied. A refused command changed
/// nothing.
struct CommandOutcome {
  std::string reason;
  [[nodiscard]] bool applied() const { return reason.empty(); }
};

[[nodiscard]] inline CommandOutcome refused(std::string reason) {
  return {std::move(reason)};
}
/// `why` is an error.
[[nodiscard]] inline CommandOutcome refused(const Status& why) {
  return {why.error()};
}
[[nodiscard]] inline CommandOutcome outcome_of(const Status& status) {
  return status ? CommandOutcome{} : refused(status);
}

[[nodiscard]] std::string_view name_of(const Command& command);

/// Every command's name, in the manifest's order, for messages that list what is allowed.
[[nodiscard]] std::vector<std::string_view> command_names();

/// Appends the canonical byte form.
void append_command(const Command& command, std::vector<std::byte>& bytes);

/// Reads one command from the front of `bytes` and shortens it by what was read. Any bytes are
/// safe to give; the error says what is wrong.
[[nodiscard]] Result<Command> read_command(std::span<const std::byte>& bytes);

}  // namespace sluice::sim
