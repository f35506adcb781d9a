#include "client_stub/status_text.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "client_stub/command_json.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

constexpr std::string_view kHelp[] = {
    "                                                ",
    "   move the picture   arrows, or h j k l        ",
    "   zoom               + and -, mouse wheel      ",
    "   slice (3D)         , and .   PageDown, PageUp",
    "   whole world        0 or Home                 ",
    "                                                ",
    "   move the cursor    w a s d   (capitals: far) ",
    "   brush size         [ and ]                   ",
    "   dig                x                         ",
    "   place rock         r                         ",
    "   pour water         p                         ",
    "   the same again     space, or the mouse       ",
    "                                                ",
    "   pipe, tank         b, B   (from the marked)  ",
    "   pump, valve        P, v                      ",
    "   mark, next unseen  m, n   (Esc: none)        ",
    "   link, check valve  c, C   (mark, then there) ",
    "   unlink, remove     u, X                      ",
    "   switch valve, pump o                         ",
    "   inlet, outlet      i, e   (E: no port)       ",
    "                                                ",
    "   quit               q                         ",
    "                                                ",
};

bool has_room(std::int32_t cell) {
  return cell >= 0 && cell < kFull;
}

std::string pour(const Vec3& at, std::int32_t held) {
  return line_of({{"cmd", "pour"}, {"at", place_json(at)}, {"units", kFull - held}});
}

/// A column of the box is filled up. One that is full gets one cell's worth where its water ends
/// above, so that pouring into a lake makes it rise.
void pour_into_column(std::int32_t x, const Box& box, const protocol::Mirror& mirror,
                      std::vector<std::string>& commands) {
  bool took = false;
  std::optional<std::int32_t> top;  // the highest full cell
  for (std::int32_t y = box.from.y; y < box.from.y + box.size.y; ++y) {
    const std::int32_t cell = mirror.cell({x, y, box.from.z});
    if (cell < 0) continue;
    top = y;
    if (!has_room(cell)) continue;
    took = true;
    commands.push_back(pour({x, y, box.from.z}, cell));
  }
  if (took || !top) return;
  Vec3 above{x, *top + 1, box.from.z};
  while (mirror.cell(above) >= kFull) ++above.y;
  if (has_room(mirror.cell(above))) commands.push_back(pour(above, mirror.cell(above)));
}

const char* name_of(Tool tool) {
  return tool == Tool::kDig ? "dig" : tool == Tool::kRock ? "rock" : "pour";
}

std::string describe_cell(std::int32_t cell) {
  if (cell == kOutside) return "outside";
  if (cell == kTrappedAir) return "trapped air";
  if (cell <= kThinnestIce) {
    return "ice, " + std::to_string(kIceBase - cell) + " units";
  }
  if (cell < 0) return "rock";
  if (cell == 0) return "air";
  return std::to_string(cell) + " units";
}

std::string bytes_text(double bytes) {
  char text[40];
  if (bytes < 1e3) {
    std::snprintf(text, sizeof(text), "%.0f B/s", bytes);
  } else if (bytes < 1e6) {
    std::snprintf(text, sizeof(text), "%.1f kB/s", bytes / 1e3);
  } else {
    std::snprintf(text, sizeof(text), "%.2f MB/s", bytes / 1e6);
  }
  return text;
}

}  // namespace

std::vector<std::string> commands_of(Tool tool, const Box& box, const protocol::Mirror& mirror) {
  std::vector<std::string> commands;
  if (tool != Tool::kPour) {
    commands.push_back(line_of({{"cmd", "set_cells"},
                                {"from", place_json(box.from)},
                                {"size", place_json(box.size)},
                                {"cell", tool == Tool::kRock ? "#" : "."}}));
    return commands;
  }
  for (std::int32_t x = box.from.x; x < box.from.x + box.size.x; ++x) {
    pour_into_column(x, box, mirror, commands);
  }
  return commands;
}

std::span<const std::string_view> help_lines() {
  return kHelp;
}

void Facts::tick_came(const protocol::Mirror& mirror) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - since_).count();
  if (ticks_then_ == 0 || mirror.tick() < ticks_then_ || mirror.stats().bytes < bytes_then_) {
    ticks_per_second_ = mirror.welcome().tick_rate;
  } else if (seconds < 1) {
    return;
  } else {
    ticks_per_second_ = static_cast<double>(mirror.tick() - ticks_then_) / seconds;
    bytes_per_second_ = static_cast<double>(mirror.stats().bytes - bytes_then_) / seconds;
  }
  since_ = now;
  ticks_then_ = mirror.tick();
  bytes_then_ = mirror.stats().bytes;
}

void Facts::say(std::string text) {
  said_ = std::move(text);
  said_until_ = Clock::now() + std::chrono::seconds(4);
}

std::string Facts::status(const protocol::Mirror& mirror) const {
  const protocol::Welcome& welcome = mirror.welcome();
  std::string line = " " + welcome.world + "  tick " + std::to_string(mirror.tick());
  char text[200];
  if (Clock::now() < said_until_) return line + "  " + said_;
  std::snprintf(text, sizeof(text), "  %.1f/s  %s  water %.1f", ticks_per_second_,
                bytes_text(bytes_per_second_).c_str(),
                static_cast<double>(mirror.counters().water) / kFull);
  line += text;
  if (welcome.size.z > 1) line += "  z " + std::to_string(picture.slice);
  const std::int32_t cell = mirror.cell({picture.cursor_x, picture.cursor_y, picture.slice});
  line += "  [" + std::to_string(picture.cursor_x) + ", " + std::to_string(picture.cursor_y) +
          "] " + describe_cell(cell);
  line += welcome.watch_only
              ? std::string("  watching only")
              : std::string("  ") + name_of(tool) + " " + std::to_string(picture.brush);
  return line + "  ? help";
}

}  // namespace sluice::client
