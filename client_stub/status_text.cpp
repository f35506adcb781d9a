#include "client_stub/status_text.h"

#include <cstdio>
#include <utility>

#include "client_stub/far.h"
#include "client_stub/inspector.h"
#include "client_stub/overlay.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

constexpr std::string_view kHelp[] = {
    "                                                    ",
    "   move the picture    arrows, or h j k l           ",
    "   zoom                + and -, mouse wheel         ",
    "   slice (3D)          , and .   PageDown, PageUp   ",
    "   whole world         0 or Home                    ",
    "   who else is here    N   (goes to the next one)   ",
    "                                                    ",
    "   move the cursor     w a s d   (capitals: far)    ",
    "   brush size          [ and ]                      ",
    "   dig, rock           x, r                         ",
    "   pour, take water    p, K                         ",
    "   what is poured      M   (dyes, hot, cold)        ",
    "   the same again      space, or the mouse          ",
    "   dig, whatever it is right button                 ",
    "   brush, line         f, L   (press at both ends)  ",
    "   box, fill           R, G                         ",
    "   take up the tool    t   (for what lies there)    ",
    "   spring, drain       g, U   (again: takes it away)",
    "   heater, cooler      H, J   (again: takes it away)",
    "   fill, lower         F, V   (to the cell's top)   ",
    "   keep the air        *   (from the cell up)       ",
    "   copy, paste         y   (at two corners), Y      ",
    "   undo, redo          z, Z   (your own edits)      ",
    "                                                    ",
    "   overlay             O   (amount, depth, head,    ",
    "                            flow, degrees, waves,   ",
    "                            dyes, awake, age, bytes,",
    "                            what others see)        ",
    "   inspect             I   (cell, column, chunk)    ",
    "   pin with a chart    T, or the middle button      ",
    "                                                    ",
    "   pipe, tank          b, B   (from the marked)     ",
    "   pump, valve         P, v                         ",
    "   mark, next unseen   m, n   (Esc: none)           ",
    "   link, check valve   c, C   (mark, then there)    ",
    "   unlink, remove      u, X                         ",
    "   switch valve, pump  o                            ",
    "   inlet, outlet       i, e   (E: no port)          ",
    "                                                    ",
    "   quit                q                            ",
    "                                                    ",
};

/// What the cursor stands on; from afar that is what stands for its cell.
std::string text_of_cell(const protocol::Mirror& mirror, const Picture& picture) {
  const Vec3 at = {picture.cursor_x, picture.cursor_y, picture.slice};
  std::string text = describe_cell(shown_cell(mirror, picture.level, at));
  if (picture.level == 0) return text;
  const std::string side = std::to_string(1 << picture.level);
  const bool is_flat = mirror.welcome().size.z == 1;
  return text + " (mean of " + side + " x " + side + (is_flat ? "" : " x " + side) + " cells)";
}

}  // namespace

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
  line += "  [" + std::to_string(picture.cursor_x) + ", " + std::to_string(picture.cursor_y) +
          "] " + text_of_cell(mirror, picture);
  line += welcome.watch_only ? std::string("  watching only")
                             : std::string("  ") + name_of(tool) + " " + std::to_string(brush);
  if (!welcome.watch_only && shape != Shape::kBrush) line += std::string(" ") + name_of(shape);
  const bool pours = !welcome.watch_only && tool == Tool::kPour;
  if (pours && !mixture.is_plain()) line += " " + mixture.describe();
  if (people > 1) line += "  " + std::to_string(people) + " here";
  return line + "  ? help";
}

}  // namespace sluice::client
