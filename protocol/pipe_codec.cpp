#include "protocol/pipe_codec.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/base/varint.h"
#include "protocol/checksum.h"
#include "protocol/codec.h"
#include "protocol/row_coding.h"

namespace sluice::protocol {

namespace {

// Of a node: its kind in the two lowest bits.
constexpr std::uint32_t kClosed = 4;
// Of a link.
constexpr std::uint32_t kOneWay = 1;
constexpr std::uint32_t kElsewhere = 2;  // `to` lies in another section
constexpr std::uint32_t kNowhere = 4;    // which has no place

Vec3 origin_of(const PipeKey& key, const ChunkShape& sides) {
  return key.placed() ? sides.origin(key.coord) : Vec3{};
}

/// What a link's place is told from.
ChunkCoord base_of(const PipeKey& key) {
  return key.placed() ? key.coord : ChunkCoord{};
}

class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  void number(std::size_t value) { append_varint(static_cast<std::uint32_t>(value), bytes_); }
  void whole(std::int32_t value) { append_varint(zigzag(value), bytes_); }
  /// Of a number that is never below zero.
  void amount(std::int32_t value) { append_varint(static_cast<std::uint32_t>(value), bytes_); }
  void text(std::string_view text) {
    number(text.size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  template <class Place>
  void difference(const Place& to, const Place& from) {
    whole(wrapping_subtract(to.x, from.x));
    whole(wrapping_subtract(to.y, from.y));
    whole(wrapping_subtract(to.z, from.z));
  }

 private:
  std::vector<std::uint8_t>& bytes_;
};

/// After the first mistake every read returns zero.
class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, std::size_t offset)
      : bytes_(bytes), offset_(offset) {}

  [[nodiscard]] bool failed() const { return !problem_.empty(); }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::size_t offset() const { return offset_; }

  /// At most `most`.
  std::uint32_t number(std::uint32_t most, const char* what) {
    if (failed()) return 0;
    const std::size_t begin = offset_;
    const auto value = read_varint<std::uint32_t>(bytes_, offset_);
    if (!value) return fail(begin, "not a number");
    if (*value > most) {
      return fail(begin, std::string(what) + " is " + std::to_string(*value) + ", at most " +
                             std::to_string(most));
    }
    return *value;
  }
  std::int32_t amount(const char* what) {
    return static_cast<std::int32_t>(number(INT32_MAX, what));
  }
  std::int32_t whole(const char* what) { return unzigzag(number(UINT32_MAX, what)); }
  std::uint8_t index(const char* what) {
    return static_cast<std::uint8_t>(number(kMaxSectionNodes - 1, what));
  }
  std::string text(const char* what) {
    const std::size_t begin = offset_;
    const std::uint32_t length = number(kMaxPipeNameBytes, what);
    if (failed()) return {};
    if (length == 0 || length > bytes_.size() - offset_) {
      fail(begin, std::string(what) + " is cut off or empty");
      return {};
    }
    std::string text(bytes_.begin() + static_cast<std::ptrdiff_t>(offset_),
                     bytes_.begin() + static_cast<std::ptrdiff_t>(offset_ + length));
    offset_ += length;
    // Names reach terminals.
    if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~'; })) {
      fail(begin, std::string(what) + " is not printable ASCII");
    }
    return text;
  }
  template <class Place>
  Place sum(const Place& from, const char* what) {
    const std::int32_t x = whole(what);
    const std::int32_t y = whole(what);
    const std::int32_t z = whole(what);
    return {wrapping_add(from.x, x), wrapping_add(from.y, y), wrapping_add(from.z, z)};
  }
  std::uint32_t fail(std::size_t offset, const std::string& what) {
    if (!failed()) problem_ = "byte " + std::to_string(offset) + ": " + what;
    return 0;
  }
  std::uint32_t fail(const std::string& what) { return fail(offset_, what); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t offset_;
  std::string problem_;
};

void write_node(const PipeKey& key, const ChunkShape& sides, const PipeNode& node,
                std::size_t fluid, std::size_t gap, Writer& writer) {
  writer.number(gap);
  writer.text(node.name);
  writer.number(fluid);
  writer.number(static_cast<std::uint32_t>(node.kind) | (node.open ? 0 : kClosed));
  writer.amount(node.capacity);
  writer.amount(node.height);
  writer.whole(node.base);
  writer.amount(node.throughput);
  if (node.kind == NodeKind::kPump) writer.amount(node.rate);
  if (key.placed()) writer.amount(sides.index_of(node.at));
}

void write_link(const PipeKey& key, const PipeLink& link, Writer& writer) {
  const PipeKey& to = link.to.section;
  const bool elsewhere = to != key.nodes();
  std::uint32_t flags = link.one_way ? kOneWay : 0;
  if (elsewhere) flags |= kElsewhere;
  if (elsewhere && !to.placed()) flags |= kNowhere;
  writer.number(link.from);
  writer.number(flags);
  if (elsewhere) {
    if (to.placed()) writer.difference(to.coord, base_of(key));
    writer.number(to.part);
  }
  writer.number(link.to.index);
}

PipeNode read_node(const PipeKey& key, const ChunkShape& sides,
                   const std::vector<std::string>& fluids, std::uint32_t& next, Reader& reader) {
  PipeNode node;
  next += reader.number(kMaxSectionNodes - 1, "a node's gap");
  if (next >= kMaxSectionNodes) reader.fail("a node past the section's end");
  node.index = static_cast<std::uint8_t>(next++);
  node.name = reader.text("a node's name");
  if (fluids.empty()) reader.fail("a node without a fluid");
  if (reader.failed()) return node;
  node.fluid =
      fluids[reader.number(static_cast<std::uint32_t>(fluids.size()) - 1, "a node's fluid")];
  const std::uint32_t flags = reader.number(7, "a node's flags");
  if ((flags & 3) > static_cast<std::uint32_t>(NodeKind::kValve)) reader.fail("no kind of node");
  node.kind = static_cast<NodeKind>(flags & 3);
  node.open = (flags & kClosed) == 0;
  node.capacity = reader.amount("a node's capacity");
  if (node.capacity == 0) reader.fail("a node without capacity");
  node.height = reader.amount("a node's height");
  node.base = reader.whole("a node's base");
  node.throughput = reader.amount("a node's throughput");
  if (node.kind == NodeKind::kPump) node.rate = reader.amount("a pump's rate");
  if (key.placed()) {
    const std::uint32_t cell = reader.number(kChunkCells - 1, "a node's cell");
    node.at = sides.cell_at(key.coord, static_cast<std::int32_t>(cell));
  }
  return node;
}

PipeLink read_link(const PipeKey& key, Reader& reader) {
  PipeLink link;
  link.from = reader.index("a link's first node");
  const std::uint32_t flags = reader.number(7, "a link's flags");
  link.one_way = (flags & kOneWay) != 0;
  link.to.section = key.nodes();
  if ((flags & kElsewhere) != 0) {
    link.to.section = {};
    if ((flags & kNowhere) == 0) link.to.section.coord = reader.sum(base_of(key), "a link's place");
    link.to.section.part = reader.number(0xffff, "a link's section");
  } else if ((flags & kNowhere) != 0) {
    reader.fail("a link's flags contradict each other");
  }
  link.to.index = reader.index("a link's second node");
  return link;
}

PipePlan read_plan(const PipeKey& key, const ChunkShape& sides, Reader& reader) {
  PipePlan plan;
  std::vector<std::string> fluids;
  for (std::uint32_t n = reader.number(kMaxSectionNodes, "the number of fluids"); n > 0; --n) {
    fluids.push_back(reader.text("a fluid's name"));
    if (reader.failed()) return plan;
  }
  std::uint32_t next = 0;
  for (std::uint32_t n = reader.number(kMaxSectionNodes, "the number of nodes"); n > 0; --n) {
    plan.nodes.push_back(read_node(key, sides, fluids, next, reader));
    if (reader.failed()) return plan;
  }
  for (std::uint32_t n = reader.number(kMaxSectionLinks, "the number of links"); n > 0; --n) {
    plan.links.push_back(read_link(key, reader));
    if (reader.failed()) return plan;
  }
  const Vec3 origin = origin_of(key, sides);
  for (std::uint32_t n = reader.number(kMaxSectionPorts, "the number of ports"); n > 0; --n) {
    PipePort port;
    port.node = reader.index("a port's node");
    port.kind = static_cast<PortKind>(reader.number(2, "a port's kind"));
    port.cell = reader.sum(origin, "a port's cell");
    port.rate = reader.amount("a port's rate");
    plan.ports.push_back(port);
    if (reader.failed()) return plan;
  }
  return plan;
}

Error error_in_section(const std::string& what) {
  return Error{"pipe payload, " + what};
}

}  // namespace

void encode_plan(const PipeKey& key, const ChunkShape& sides, const PipePlan& plan,
                 std::vector<std::uint8_t>& bytes) {
  Writer writer(bytes);
  std::vector<std::string_view> fluids;
  for (const PipeNode& node : plan.nodes) fluids.push_back(node.fluid);
  std::sort(fluids.begin(), fluids.end());
  fluids.erase(std::unique(fluids.begin(), fluids.end()), fluids.end());
  writer.number(fluids.size());
  for (const std::string_view fluid : fluids) writer.text(fluid);
  writer.number(plan.nodes.size());
  std::size_t next = 0;
  for (const PipeNode& node : plan.nodes) {
    const auto fluid = std::lower_bound(fluids.begin(), fluids.end(), node.fluid);
    write_node(key, sides, node, static_cast<std::size_t>(fluid - fluids.begin()),
               node.index - next, writer);
    next = std::size_t{node.index} + 1;
  }
  writer.number(plan.links.size());
  for (const PipeLink& link : plan.links) write_link(key, link, writer);
  writer.number(plan.ports.size());
  const Vec3 origin = origin_of(key, sides);
  for (const PipePort& port : plan.ports) {
    writer.number(port.node);
    writer.number(static_cast<std::uint32_t>(port.kind));
    writer.difference(port.cell, origin);
    writer.amount(port.rate);
  }
}

void encode_pipe_keyframe(std::span<const std::uint8_t> plan, std::span<const std::int32_t> values,
                          std::vector<std::uint8_t>& payload) {
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kKeyframe));
  payload.insert(payload.end(), plan.begin(), plan.end());
  append_row(values, payload);
}

void encode_pipe_delta(std::span<const std::int32_t> before, std::span<const std::int32_t> after,
                       std::vector<std::uint8_t>& payload) {
  std::vector<std::int32_t> differences(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    differences[i] = wrapping_subtract(after[i], before[i]);
  }
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kDelta));
  append_row(differences, payload);
}

Status decode_pipes(const PipeKey& key, const ChunkShape& sides,
                    std::span<const std::uint8_t> payload, PipeSection& section) {
  if (payload.empty()) return error_in_section("byte 0: no tag");
  const auto tag = static_cast<PayloadTag>(payload[0]);
  if (tag == PayloadTag::kDelta) {
    std::vector<std::int32_t> differences(section.values.size());
    if (Status status = read_row(payload, 1, differences); !status.ok()) {
      return error_in_section(status.error());
    }
    for (std::size_t i = 0; i < differences.size(); ++i) {
      section.values[i] = wrapping_add(section.values[i], differences[i]);
    }
    return Done{};
  }
  if (tag != PayloadTag::kKeyframe) {
    return error_in_section("byte 0: unknown tag " + std::to_string(payload[0]) +
                            " (1 keyframe, 2 delta)");
  }
  Reader reader(payload, 1);
  PipeSection now;
  now.plan = read_plan(key, sides, reader);
  if (reader.failed()) return error_in_section(reader.problem());
  now.values.resize(now.plan.value_count());
  if (Status status = read_row(payload, reader.offset(), now.values); !status.ok()) {
    return error_in_section(status.error());
  }
  now.plan_bytes.assign(payload.begin() + 1,
                        payload.begin() + static_cast<std::ptrdiff_t>(reader.offset()));
  section = std::move(now);
  return Done{};
}

std::uint64_t pipe_checksum(std::span<const std::uint8_t> plan,
                            std::span<const std::int32_t> values) {
  std::uint64_t sum = 0;
  ChunkCells words{};
  std::size_t used = 0;
  const auto flush = [&] {
    sum = std::rotl(sum, 1) ^ chunk_checksum(words);
    words.fill(0);
    used = 0;
  };
  const auto add = [&](std::uint32_t word) {
    words[used++] = static_cast<std::int32_t>(word);
    if (used == words.size()) flush();
  };
  add(static_cast<std::uint32_t>(plan.size()));
  add(static_cast<std::uint32_t>(values.size()));
  for (std::size_t i = 0; i < plan.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t j = i; j < plan.size() && j < i + 4; ++j) {
      word |= std::uint32_t{plan[j]} << (8 * (j - i));
    }
    add(word);
  }
  for (const std::int32_t value : values) add(static_cast<std::uint32_t>(value));
  flush();
  return sum;
}

}  // namespace sluice::protocol
