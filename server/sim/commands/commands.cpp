#include "server/sim/commands/commands.h"

#include <utility>

#include "server/sim/fields.h"

namespace sluice::sim {

namespace {

/// Calls f(std::type_identity<Row>{}) for each row of the manifest until one returns true.
template <class F, std::size_t... I>
bool any_row(F&& f, std::index_sequence<I...> /*rows*/) {
  return (f(std::type_identity<std::variant_alternative_t<I, CommandRows>>{}) || ...);
}

template <class F>
bool any_row(F&& f) {
  return any_row(std::forward<F>(f), std::make_index_sequence<std::variant_size_v<CommandRows>>{});
}

}  // namespace

CommandBody::CommandBody() = default;
CommandBody::CommandBody(const CommandBody& other) = default;
CommandBody::CommandBody(CommandBody&& other) noexcept = default;
CommandBody& CommandBody::operator=(const CommandBody& other) = default;
CommandBody& CommandBody::operator=(CommandBody&& other) noexcept = default;
CommandBody::~CommandBody() = default;

template <class Row>
CommandBody CommandBody::of(Row row) {
  return {std::in_place_type<Row>, std::move(row)};
}

/// Other sources call `of` for any row, and it is defined here alone: the pointers make all of
/// them.
template <class... Rows>
consteval auto makers(const std::variant<Rows...>* /*manifest*/) {
  return std::tuple(&CommandBody::of<Rows>...);
}
extern const decltype(makers(static_cast<const CommandRows*>(nullptr))) kCommandMakers;
constinit const decltype(makers(static_cast<const CommandRows*>(nullptr))) kCommandMakers =
    makers(static_cast<const CommandRows*>(nullptr));

std::string_view name_of(const Command& command) {
  return std::visit([](const auto& body) { return std::decay_t<decltype(body)>::kName; },
                    command.body);
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  any_row([&]<class Row>(std::type_identity<Row> /*row*/) {
    if constexpr (!requires { Row::kWithKey; } && !is_only_recorded<Row>) {
      names.push_back(Row::kName);
    }
    return false;
  });
  return names;
}

void append_command(const Command& command, std::vector<std::byte>& bytes) {
  StateWriter writer(bytes);
  std::visit(
      [&](const auto& body) {
        using Row = std::decay_t<decltype(body)>;
        writer.field("opcode", Row::kOpcode);
        Row::visit_state(body, writer);
      },
      command.body);
}

Result<Command> read_command(std::span<const std::byte>& bytes) {
  StateReader reader(bytes);
  std::uint16_t opcode = 0;
  reader.field("opcode", opcode);
  Command command;
  const bool known = reader.ok() && any_row([&]<class Row>(std::type_identity<Row> /*row*/) {
                       if (Row::kOpcode != opcode) return false;
                       Row body;
                       Row::visit_state(body, reader);
                       command.body = body;
                       return true;
                     });
  if (reader.ok() && !known) {
    return Error{"unknown command opcode " + std::to_string(opcode)};
  }
  if (!reader.ok()) {
    return Error{std::string("command cut short at its field '") + reader.failed_field() + "'"};
  }
  bytes = reader.rest();
  return command;
}

}  // namespace sluice::sim
