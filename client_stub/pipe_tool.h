// The terminal viewer's keys for pipes, as commands. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client_stub/hand.h"
#include "protocol/mirror.h"

namespace sluice::client {

class PipeTool {
 public:
  /// The node from which the next one is linked, by name; empty when there is none.
  [[nodiscard]] const std::string& marked() const { return marked_; }
  void clear() { marked_.clear(); }

  /// Whether the character is one of the keys of pipes: b B P v m c C u X o i e E n.
  [[nodiscard]] static bool takes(char key);
  /// The key, with the cursor on a cell.
  [[nodiscard]] Act press(char key, Vec3 cursor, const protocol::Mirror& mirror);

 private:
  [[nodiscard]] Act build(char key, Vec3 cursor, const protocol::Mirror& mirror);
  [[nodiscard]] Act link(char key, const std::string& node);
  [[nodiscard]] Act port(char key, const std::string& node, Vec3 cursor);
  [[nodiscard]] Act mark_next(const protocol::Mirror& mirror);
  [[nodiscard]] std::string free_name(const std::string& kind, const protocol::Mirror& mirror);

  std::string marked_;
  std::uint64_t next_number_ = 1;
};

}  // namespace sluice::client
