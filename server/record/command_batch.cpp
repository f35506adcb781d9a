#include "server/record/command_batch.h"

#include <map>
#include <string>
#include <utility>

#include "server/record/packing.h"

namespace sluice::record {

namespace {

/// Strings by the order of their first use.
class StringTable {
 public:
  std::uint64_t index_of(const std::string& text) {
    const auto [place, is_new] = index_.try_emplace(text, names_.size());
    if (is_new) names_.push_back(text);
    return place->second;
  }

  void append_to(Bytes& out) const {
    append_varint(names_.size(), out);
    for (const std::string& name : names_) put_string(name, out);
  }

 private:
  std::map<std::string, std::uint64_t> index_;
  std::vector<std::string> names_;
};

struct Columns {
  StringTable clients;
  StringTable reasons;
  Bytes ticks;
  Bytes client;
  Bytes seq;
  Bytes outcome;
  Bytes bodies;
  std::uint64_t commands = 0;
  Bytes refused;
  std::uint64_t refused_counts = 0;
};

void add_command(const RecordedCommand& recorded, std::uint64_t ticks_later,
                 std::vector<std::uint64_t>& expected_seq, Columns& columns) {
  ++columns.commands;
  append_varint(ticks_later, columns.ticks);
  const std::uint64_t client = columns.clients.index_of(recorded.client);
  append_varint(client, columns.client);
  if (client >= expected_seq.size()) expected_seq.resize(client + 1);
  // Wraps around at the ends of the range, and back when read.
  append_varint(zigzag(static_cast<std::int64_t>(recorded.seq - expected_seq[client])),
                columns.seq);
  expected_seq[client] = recorded.seq + 1;
  append_varint(recorded.applied ? 0 : columns.reasons.index_of(recorded.reason) + 1,
                columns.outcome);
  sim::append_command(recorded.command, columns.bodies);
}

void add_refused_more(const TickRecord& tick, std::uint64_t& before, Columns& columns) {
  for (const RefusedMore& more : tick.refused_more) {
    ++columns.refused_counts;
    append_varint(tick.tick - before, columns.refused);
    append_varint(columns.clients.index_of(more.client), columns.refused);
    append_varint(more.commands, columns.refused);
    before = tick.tick;
  }
}

std::vector<std::string> read_strings(ByteReader& reader) {
  std::vector<std::string> strings;
  const std::size_t count = reader.count();
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) strings.push_back(reader.string());
  return strings;
}

/// All of a command but its body.
struct Head {
  std::size_t tick = 0;  // index into the ticks of the batch
  RecordedCommand recorded;
};

// Four columns of at least a byte, an opcode of two and the length of one name.
constexpr std::size_t kSmallestCommandBytes = 10;

Status read_heads(ByteReader& reader, std::size_t ticks, std::vector<std::string>& clients,
                  std::vector<Head>& heads) {
  const std::size_t commands = reader.count();
  if (commands > reader.rest().size() / kSmallestCommandBytes) {
    return Error{"states more commands than it has room for"};
  }
  clients = read_strings(reader);
  const std::vector<std::string> reasons = read_strings(reader);
  if (reader.failed()) return Error{"ends inside its tables of names"};
  heads.resize(commands);
  std::uint64_t tick = 0;
  for (Head& head : heads) {
    const std::uint64_t later = reader.varint();
    if (later >= ticks - tick) return Error{"holds a command of a tick outside its row"};
    tick += later;
    head.tick = static_cast<std::size_t>(tick);
  }
  std::vector<std::uint64_t> client_of;
  for (Head& head : heads) {
    client_of.push_back(reader.varint());
    if (client_of.back() >= clients.size()) return Error{"names a client that it lacks"};
    head.recorded.client = clients[client_of.back()];
  }
  std::vector<std::uint64_t> expected_seq(clients.size());
  for (std::size_t i = 0; i < commands; ++i) {
    std::uint64_t& expected = expected_seq[client_of[i]];
    expected += static_cast<std::uint64_t>(unzigzag(reader.varint()));
    heads[i].recorded.seq = expected++;
  }
  for (Head& head : heads) {
    const std::uint64_t outcome = reader.varint();
    if (outcome > reasons.size()) return Error{"names a reason that it lacks"};
    head.recorded.applied = outcome == 0;
    if (outcome != 0) head.recorded.reason = reasons[outcome - 1];
  }
  if (reader.failed()) return Error{"ends inside its columns"};
  return Done{};
}

Status read_refused_more(ByteReader& reader, const std::vector<std::string>& clients,
                         std::span<TickRecord> ticks) {
  const std::size_t counts = reader.count();
  std::uint64_t tick = 0;
  for (std::size_t i = 0; i < counts && !reader.failed(); ++i) {
    const std::uint64_t later = reader.varint();
    if (later >= ticks.size() - tick) {
      return Error{"counts refused commands of a tick outside its row"};
    }
    tick += later;
    const std::uint64_t client = reader.varint();
    if (client >= clients.size()) return Error{"names a client that it lacks"};
    ticks[tick].refused_more.push_back({clients[client], reader.varint()});
  }
  if (reader.failed()) return Error{"ends inside its counts of refused commands"};
  return Done{};
}

}  // namespace

void encode_commands(std::span<const TickRecord> ticks, int level, Bytes& out) {
  Columns columns;
  std::vector<std::uint64_t> expected_seq;
  std::uint64_t before = ticks.empty() ? 0 : ticks.front().tick;
  std::uint64_t refused_before = before;
  for (const TickRecord& tick : ticks) {
    add_refused_more(tick, refused_before, columns);
    for (const RecordedCommand& recorded : tick.commands) {
      add_command(recorded, tick.tick - before, expected_seq, columns);
      before = tick.tick;
    }
  }
  if (columns.commands == 0 && columns.refused_counts == 0) return;
  Bytes batch;
  append_varint(columns.commands, batch);
  columns.clients.append_to(batch);
  columns.reasons.append_to(batch);
  for (const Bytes* column :
       {&columns.ticks, &columns.client, &columns.seq, &columns.outcome, &columns.bodies}) {
    batch.insert(batch.end(), column->begin(), column->end());
  }
  if (columns.refused_counts != 0) {
    append_varint(columns.refused_counts, batch);
    batch.insert(batch.end(), columns.refused.begin(), columns.refused.end());
  }
  pack(batch, level, out);
}

Status decode_commands(std::span<const std::byte> blob, std::size_t most_bytes,
                       std::span<TickRecord> ticks) {
  if (blob.empty()) return Done{};
  const Result<Bytes> batch = unpack(blob, most_bytes);
  if (!batch) return Error{batch.error()};
  ByteReader reader(*batch);
  std::vector<std::string> clients;
  std::vector<Head> heads;
  if (const Status read = read_heads(reader, ticks.size(), clients, heads); !read) return read;
  std::span<const std::byte> bodies = reader.rest();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    Result<sim::Command> command = sim::read_command(bodies);
    if (!command) {
      return Error{"command " + std::to_string(i + 1) + " of " + std::to_string(heads.size()) +
                   ": " + command.error()};
    }
    Head& head = heads[i];
    head.recorded.command = std::move(command).value();
    ticks[head.tick].commands.push_back(std::move(head.recorded));
  }
  if (bodies.empty()) return Done{};
  reader.set_rest(bodies);
  if (const Status read = read_refused_more(reader, clients, ticks); !read) return read;
  if (!reader.rest().empty()) return Error{"goes on after its last command"};
  return Done{};
}

}  // namespace sluice::record
