// Payloads of chunks, and what protocol/README.md shows of them, for the tests of both codings.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "protocol/codec.h"

namespace sluice::protocol {

using Payload = std::vector<std::uint8_t>;

inline Payload keyframe_of(const ChunkCells& cells, Effort effort = Effort::kShortest,
                           const ChunkShape& sides = kSideViewShape) {
  Payload payload;
  encode_keyframe(cells, sides, payload, effort);
  return payload;
}

inline Payload delta_of(const ChunkCells& from, const ChunkCells& to,
                        Effort effort = Effort::kShortest,
                        const ChunkShape& sides = kSideViewShape) {
  Payload payload;
  encode_delta(from, to, sides, payload, effort);
  return payload;
}

// Rows are what README.md shows first.
inline Payload keyframe_row(const ChunkCells& cells) {
  return keyframe_of(cells, Effort::kRows);
}
inline Payload delta_row(const ChunkCells& from, const ChunkCells& to) {
  return delta_of(from, to, Effort::kRows);
}

inline std::string hex(const Payload& payload) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : payload) {
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

inline const std::string& document() {
  static const std::string kText = [] {
    std::ifstream file(SLUICE_PROTOCOL_README);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }();
  return kText;
}

inline void expect_documented(const std::string& text) {
  EXPECT_NE(document().find("`" + text + "`"), std::string::npos)
      << "protocol/README.md does not show `" << text << "`";
}

inline ChunkShape any_sides() {
  return *rc::gen::elementOf(std::vector<ChunkShape>{kSideViewShape, kSolidShape, {5, 5, 2}});
}
inline Effort any_effort() {
  return *rc::gen::element(Effort::kRows, Effort::kShortest);
}

}  // namespace sluice::protocol
