// What the colours of an overlay mean, in words.
#include <algorithm>
#include <cstdio>

#include "client_stub/overlay.h"

namespace sluice::client {

namespace {

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace

Legend Overlay::legend() const {
  switch (kind_) {
    case OverlayKind::kNone:
      return {};
    case OverlayKind::kAmount:
      return {
          "Water in a cell",
          {{ramp(0), "1-8", colours_ == ColourDepth::kNone ? "eighths of a full cell" : "little"},
           {ramp(0.5), "", "full"},
           {ramp(1), "9", colours_ == ColourDepth::kNone ? "more than full" : "twice"}}};
    case OverlayKind::kDepth:
      return {"Depth in cells",
              {{ramp(0), "0", "0"},
               {ramp(0.5), "5", short_number(depth_ / 2)},
               {ramp(1), "9", short_number(depth_)}}};
    case OverlayKind::kHead:
      return {"Surface over the floor, in cells",
              {{ramp(0), "0", short_number(span_.from)},
               {ramp(0.5), "5", short_number(span_.from + span_.size / 2)},
               {ramp(1), "9", short_number(span_.from + span_.size)}}};
    case OverlayKind::kFlow:
      return {"Where heads drive water",
              {{arrow_ink(0), ">", "gently"}, {arrow_ink(1), "v", "it falls"}}};
    case OverlayKind::kTemperature:
    case OverlayKind::kWaves: {
      const bool warm = kind_ == OverlayKind::kTemperature;
      const std::string far = short_number(reach()) + (warm ? " C" : "");
      return {warm ? "Temperature" : "Height of waves, in cells",
              {{around_zero(-reach()), "0", "-" + far},
               {around_zero(0), "4", "0"},
               {around_zero(reach()), "8", far}}};
    }
    case OverlayKind::kSteam:
      return {"Steam, in full cells' water",
              {{ramp(0), "0", "little"},
               {ramp(0.5), "4", short_number(steam_ / 2)},
               {ramp(1), "9", short_number(steam_) + (steam_ == 16 ? " or more" : "")}}};
    case OverlayKind::kTracer:
      return {"'" + tracer_name_ + "' in a unit of water",
              {{ramp(0), "0", "little"},
               {ramp(0.5), "4", short_number(share_ / 2)},
               {ramp(1), "9", short_number(share_) + (share_ == 16 ? " or more" : "")}}};
    case OverlayKind::kAwake:
      return {"Chunks",
              {{blend({0, 0, 0}, kAwakeChunk, 0.8), "*", "changed just now"},
               {blend({0, 0, 0}, kRestingChunk, 0.4), ".", "at rest"}}};
    case OverlayKind::kAge:
      return {"Last change of a chunk",
              {{ramp(1), "0", "1 s ago"},
               {ramp(0.5), "", "30 s"},
               {ramp(0), "3", "17 min"},
               {blend({0, 0, 0}, kRestingChunk, 0.4), ".", "none"}}};
    case OverlayKind::kBytes:
      return {"Bytes a second for a chunk",
              {{ramp(0), "1", "10"}, {ramp(0.5), "3", "1 k"}, {ramp(1), "5", "100 k"}}};
    case OverlayKind::kViews:
      return {"What others see, framed in the colour of each", {}};
  }
  return {};
}

void Overlay::draw_legend(Screen& screen) const {
  const Legend shown = legend();
  if (shown.title.empty()) return;
  const bool plain = colours_ == ColourDepth::kNone;
  int width = static_cast<int>(shown.title.size()) + 3;
  for (const LegendEntry& entry : shown.entries) {
    if (plain && entry.letters.empty()) continue;
    width += static_cast<int>((plain ? entry.letters.size() : 2) + entry.text.size()) + 3;
  }
  int column = std::max(0, screen.columns() - width);
  const auto put = [&](std::string_view text, Colour ink, Colour paper) {
    screen.text(column, 0, text, ink, paper);
    column += static_cast<int>(text.size());
  };
  put(" " + shown.title + "  ", kOverlayInk, kOverlayPaper);
  for (const LegendEntry& entry : shown.entries) {
    if (plain && entry.letters.empty()) continue;
    put(plain ? entry.letters : "  ", kOverlayInk, plain ? kOverlayPaper : entry.colour);
    put(" " + entry.text + "  ", kOverlayInk, kOverlayPaper);
  }
}

}  // namespace sluice::client
