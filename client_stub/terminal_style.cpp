#include "client_stub/terminal_style.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sluice::client {

namespace {

// The first sixteen colours as most terminals have them.
constexpr std::array<Colour, 16> kSixteen = {{{0, 0, 0},
                                              {170, 0, 0},
                                              {0, 170, 0},
                                              {170, 85, 0},
                                              {0, 0, 170},
                                              {170, 0, 170},
                                              {0, 170, 170},
                                              {170, 170, 170},
                                              {85, 85, 85},
                                              {255, 85, 85},
                                              {85, 255, 85},
                                              {255, 255, 85},
                                              {85, 85, 255},
                                              {255, 85, 255},
                                              {85, 255, 255},
                                              {255, 255, 255}}};
constexpr std::array<int, 6> kCube = {0, 95, 135, 175, 215, 255};

int apart(Colour a, Colour b) {
  const int red = a.red - b.red;
  const int green = a.green - b.green;
  const int blue = a.blue - b.blue;
  return red * red + green * green + blue * blue;
}

int nearest_of_sixteen(Colour colour) {
  int best = 0;
  for (int i = 1; i < 16; ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (apart(colour, kSixteen.at(place)) <
        apart(colour, kSixteen.at(static_cast<std::size_t>(best)))) {
      best = i;
    }
  }
  return best;
}

std::size_t nearest_step(int value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < kCube.size(); ++i) {
    if (std::abs(kCube.at(i) - value) < std::abs(kCube.at(best) - value)) best = i;
  }
  return best;
}

// A cube of six steps each way, and 24 greys between black and white.
int nearest_of_256(Colour colour) {
  const std::size_t red = nearest_step(colour.red);
  const std::size_t green = nearest_step(colour.green);
  const std::size_t blue = nearest_step(colour.blue);
  const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
  const Colour cube{byte(kCube.at(red)), byte(kCube.at(green)), byte(kCube.at(blue))};
  const int mean = (colour.red + colour.green + colour.blue) / 3;
  const int step = std::min(23, std::max(0, (mean - 3) / 10));
  const Colour grey{byte(8 + 10 * step), byte(8 + 10 * step), byte(8 + 10 * step)};
  if (apart(colour, grey) < apart(colour, cube)) return 232 + step;
  return 16 + 36 * static_cast<int>(red) + 6 * static_cast<int>(green) + static_cast<int>(blue);
}

bool names_utf8(std::string_view locale) {
  return locale.find("UTF-8") != std::string_view::npos ||
         locale.find("utf8") != std::string_view::npos ||
         locale.find("UTF8") != std::string_view::npos ||
         locale.find("utf-8") != std::string_view::npos;
}

}  // namespace

std::optional<TerminalStyle> style_of(const Environment& environment) {
  const auto value = [&](const char* name) {
    const char* const text = environment(name);
    return std::string_view(text == nullptr ? "" : text);
  };
  const std::string_view term = value("TERM");
  if (term.empty() || term == "dumb" || term == "unknown") return std::nullopt;
  TerminalStyle style;
  // The first of these that is set decides, as for every other program.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (value(name).empty()) continue;
    style.unicode = names_utf8(value(name));
    break;
  }
  const bool plain = term.starts_with("vt1") || term.starts_with("vt2") ||
                     term.ends_with("-mono") || term.ends_with("-m");
  const std::string_view depth = value("COLORTERM");
  if (!value("NO_COLOR").empty() || plain) {
    style.colours = ColourDepth::kNone;
  } else if (depth == "truecolor" || depth == "24bit" || term.ends_with("-direct")) {
    style.colours = ColourDepth::kTrue;
  } else if (term.find("256") != std::string_view::npos) {
    style.colours = ColourDepth::k256;
  } else {
    style.colours = ColourDepth::k16;
  }
  return style;
}

std::string colour_sequence(ColourDepth depth, bool ink, Colour colour) {
  const std::string kind = ink ? "38" : "48";
  switch (depth) {
    case ColourDepth::kTrue:
      return "\x1b[" + kind + ";2;" + std::to_string(colour.red) + ';' +
             std::to_string(colour.green) + ';' + std::to_string(colour.blue) + 'm';
    case ColourDepth::k256:
      return "\x1b[" + kind + ";5;" + std::to_string(nearest_of_256(colour)) + 'm';
    case ColourDepth::k16: {
      const int number = nearest_of_sixteen(colour);
      const int base = (ink ? 30 : 40) + (number < 8 ? 0 : 60);
      return "\x1b[" + std::to_string(base + number % 8) + 'm';
    }
    case ColourDepth::kNone:
      return "";
  }
  return "";
}

char letter_of(Colour colour) {
  if (colour == kCursor) return '+';
  if (colour.blue > colour.red + 40) return '~';
  if (colour.red >= colour.blue && colour.red + colour.green + colour.blue > 120) return '#';
  return ' ';
}

}  // namespace sluice::client
