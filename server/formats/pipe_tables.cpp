#include "server/formats/pipe_tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "server/formats/toml_fields.h"
#include "server/sim/pipes/names.h"

namespace sluice::formats {

namespace {

std::string path_of(const char* kind, std::size_t index) {
  return std::string(kind) + "[" + std::to_string(index) + "]";
}

class Parser {
 public:
  Parser(FirstMistake& mistake, sim::WorldSpec& spec) : mistake_(mistake), spec_(spec) {}

  [[nodiscard]] bool failed() const { return mistake_.made(); }

  /// `Row` is the command that adds such a node.
  template <class Row>
  void node(const toml::table& toml, const std::string& path, NodeKind kind) {
    TomlTable table(toml, path, mistake_);
    TomlFields fields(table);
    Row row;
    Row::visit_state(row, fields);
    table.finish();
    if (failed()) return;
    check_fields(table, row);
    sim::PipeNode node{row, kind, 0, true};
    if constexpr (requires { row.rate; }) {
      check_range(table, "rate", row.rate, 0, sim::kMaxPipeCapacity);
      node.rate = row.rate;
    }
    if constexpr (requires { row.open; }) node.open = row.open;
    if (failed()) return;
    const auto [first, is_new] = lines_.try_emplace(row.name, toml.source().begin.line);
    if (!is_new) {
      table.fail("name", "is '" + row.name + "', as is that of the node in line " +
                             std::to_string(first->second) + "; names are unique");
    }
    spec_.pipes.push_back(std::move(node));
  }

  void link(const toml::table& toml, const std::string& path) {
    TomlTable table(toml, path, mistake_);
    TomlFields fields(table);
    sim::LinkPipes row;
    sim::LinkPipes::visit_state(row, fields);
    table.finish();
    check_name(table, "from", row.from);
    check_name(table, "to", row.to);
    if (failed()) return;
    if (row.from == row.to) table.fail("to", "is '" + row.to + "': a link joins two nodes");
    if (!links_.insert(std::minmax(row.from, row.to)).second) {
      table.fail("to", "is '" + row.to + "', which is linked to '" + row.from + "' already");
    }
    spec_.pipe_links.push_back({std::move(row.from), std::move(row.to), row.one_way});
  }

  void port(const toml::table& toml, const std::string& path) {
    TomlTable table(toml, path, mistake_);
    TomlFields fields(table);
    sim::PipePort row;
    sim::PipePort::visit_state(row, fields);
    table.finish();
    check_name(table, "node", row.node);
    if (failed()) return;
    check_range(table, "rate", row.rate, 1, sim::kMaxPourUnits);
    if (!ports_.emplace(row.node, row.cell).second) {
      table.fail("cell", "repeats the port of '" + row.node + "' in " + to_string(row.cell));
    }
    spec_.ports.push_back(std::move(row));
  }

 private:
  void check_range(TomlTable& table, const char* key, std::int32_t value, std::int32_t low,
                   std::int32_t high) {
    if (failed() || (value >= low && value <= high)) return;
    table.fail(key, "is " + std::to_string(value) + "; allowed: " + std::to_string(low) + " to " +
                        std::to_string(high));
  }
  void check_fields(TomlTable& table, const sim::PipeFields& fields) {
    for (const auto& [key, text] : {std::pair("name", &fields.name), {"fluid", &fields.fluid}}) {
      if (sim::valid_pipe_name(*text)) continue;
      table.fail(key, "is '" + *text + "'; allowed: 1 to " + std::to_string(kMaxPipeNameBytes) +
                          " letters, digits and _ - . : / # @ +");
    }
    check_range(table, "capacity", fields.capacity, 1, sim::kMaxPipeCapacity);
    check_range(table, "height", fields.height, 1, sim::kMaxPipeHeight);
    check_range(table, "base", fields.base, -sim::kMaxPipeBase, sim::kMaxPipeBase);
    check_range(table, "amount", fields.amount, 0, fields.capacity);
    check_range(table, "throughput", fields.throughput, 0, INT32_MAX);
    if (!failed() && fields.at != kNowhere && !spec_.config.box().contains(fields.at)) {
      table.fail("at", to_string(fields.at) + " lies outside the world of size " +
                           to_string(spec_.config.size));
    }
  }
  void check_name(TomlTable& table, const char* key, const std::string& name) {
    if (failed() || lines_.contains(name)) return;
    table.fail(key, "is '" + name + "': no pipe, pump or valve has that name");
  }

  FirstMistake& mistake_;
  sim::WorldSpec& spec_;
  std::map<std::string, toml::source_index> lines_;      // of the nodes, by name
  std::set<std::pair<std::string, std::string>> links_;  // the lesser name first
  std::set<std::pair<std::string, Vec3>> ports_;
};

}  // namespace

PipeTables PipeTables::of(TomlTable& root) {
  PipeTables tables;
  tables.pipes = root.tables("pipe");
  tables.pumps = root.tables("pump");
  tables.valves = root.tables("valve");
  tables.links = root.tables("link");
  tables.ports = root.tables("port");
  return tables;
}

void parse_pipes(const PipeTables& tables, FirstMistake& mistake, sim::WorldSpec& spec) {
  Parser parser(mistake, spec);
  const auto each = [&](const char* kind, const std::vector<const toml::table*>& list,
                        auto&& parse) {
    for (std::size_t i = 0; i < list.size() && !parser.failed(); ++i) {
      parse(*list[i], path_of(kind, i));
    }
  };
  each("pipe", tables.pipes, [&](const toml::table& table, const std::string& path) {
    parser.node<sim::AddPipe>(table, path, NodeKind::kPipe);
  });
  each("pump", tables.pumps, [&](const toml::table& table, const std::string& path) {
    parser.node<sim::AddPump>(table, path, NodeKind::kPump);
  });
  each("valve", tables.valves, [&](const toml::table& table, const std::string& path) {
    parser.node<sim::AddValve>(table, path, NodeKind::kValve);
  });
  each("link", tables.links,
       [&](const toml::table& table, const std::string& path) { parser.link(table, path); });
  each("port", tables.ports,
       [&](const toml::table& table, const std::string& path) { parser.port(table, path); });
}

}  // namespace sluice::formats
