#include "client_stub/inspector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "client_stub/layers.h"
#include "client_stub/overlay.h"
#include "client_stub/pipe_facts.h"
#include "client_stub/pipe_picture.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.2f", value);
  return text;
}

std::string place_text(const Known& known, Vec3 at) {
  const std::string flat = "[" + std::to_string(at.x) + ", " + std::to_string(at.y);
  return known.mirror.welcome().size.z == 1 ? flat + "]" : flat + ", " + std::to_string(at.z) + "]";
}

std::string rest_text(const Known& known, Vec3 at) {
  const ChunkCoord chunk = known.mirror.welcome().sides.chunk_of(at);
  if (known.mirror.find(chunk) == nullptr) return "chunk all air";
  const auto since = known.activity.since_change(chunk, known.now);
  if (!since) return "chunk at rest since it came into view";
  if (*since < Activity::kAwakeFor) return "chunk awake";
  return "chunk at rest for " + std::to_string(since->count() / 1000) + " s";
}

const char* material_name(std::int32_t cell) {
  if (cell == kOutside) return "outside";
  if (cell == kTrappedAir) return "trapped air";
  if (cell <= kThinnestIce) return "ice";
  return cell < 0 ? "rock" : cell == 0 ? "air" : "water";
}

/// What there is beside the amount of water; empty where the world has none of it.
std::string layer_text(const Known& known, Vec3 at) {
  std::string text;
  if (const auto degrees = degrees_at(known.mirror, at)) text += number(*degrees) + " degrees  ";
  const auto wave = wave_at(known.mirror, known.surfaces, at);
  if (wave && *wave != 0) text += "wave of " + number(*wave) + " cells  ";
  if (const auto steam = steam_at(known.mirror, at)) {
    text += "steam of " + number(*steam) + " full cells  ";
  }
  for (const std::string& tracer : tracers_of(known.mirror)) {
    const auto share = share_at(known.mirror, tracer, at);
    if (share) text += tracer + " " + number(*share) + " a unit  ";
  }
  return text;
}

CellReport cell_report(const Known& known, Vec3 at) {
  const std::int32_t cell = known.mirror.cell(at);
  CellReport report{place_text(known, at) + " " + material_name(cell), "", "",
                    static_cast<double>(std::max(cell, 0)), "units"};
  if (cell > 0) {
    report.facts = std::to_string(cell) + " units (" +
                   std::to_string(std::int64_t{100} * cell / kFull) + " %)  ";
    const auto head = known.surfaces.head(at.x, at.y);
    if (head) {
      report.facts += "surface at " + number(*head) + "  " +
                      number(std::max(0.0, *head - at.y - 0.5)) + " deep  ";
    } else if (known.surfaces.known()) {
      report.why = "It is on its way down: nothing under it bears it.";
    }
    if (cell > kFull) {
      report.why = "It holds more than a full cell, because what stands on it presses it in.";
    }
  } else if (cell <= kThinnestIce) {
    report.facts = std::to_string(kIceBase - cell) + " units  ";
    report.why = "Ice: solid until it melts.";
  } else if (cell == kRock) {
    report.why = "Nothing flows through rock. Dig it, or lay pipes.";
  } else if (cell == kTrappedAir) {
    report.why = "Air that cannot leave: water does not get in until it finds a way out.";
  }
  report.facts += layer_text(known, at) + rest_text(known, at);
  const Spring* const spring = known.fixtures.source_at(at);
  const Spring* const drain = known.fixtures.drain_at(at);
  const std::string fixture = describe_fixture(known.fixtures, at);
  if (!fixture.empty()) report.facts = fixture + "  " + report.facts;
  if (spring == nullptr && drain == nullptr) return report;
  if (cell == kRock) {
    report.why = "Its cell is rock: nothing passes until it is dug out.";
  } else if (spring != nullptr && cell >= kFull) {
    report.why = "Its cell is full: how much still comes is up to the water around it.";
  } else if (spring != nullptr) {
    report.why = "It brings new water into its cell in every tick.";
  } else {
    report.why = cell > 0
                     ? "It takes what is in its cell, up to its rate; that water leaves the world."
                     : "Its cell is dry: there is nothing to take.";
  }
  return report;
}

CellReport column_report(const Known& known, Vec3 at) {
  const protocol::Mirror& mirror = known.mirror;
  double water = 0;
  int bodies = 0;
  int wet = 0;
  double top = -1;
  std::int32_t ground = -1;
  std::int32_t before = 0;
  for (std::int32_t y = 0; y < mirror.welcome().size.y; ++y) {
    const std::int32_t cell = mirror.cell({at.x, y, at.z});
    if (cell > 0) {
      water += cell / double{kFull};
      ++wet;
      if (before <= 0) ++bodies;
      top = y + std::min(1.0, cell / double{kFull});
    }
    if (cell == kRock) ground = y;
    before = cell;
  }
  CellReport report{"column x " + std::to_string(at.x), "", "", water, "full cells"};
  report.facts = number(water) + " full cells in " + std::to_string(wet) + " cells";
  if (top >= 0) report.facts += "  highest at " + number(top);
  if (bodies > 1) report.facts += "  " + std::to_string(bodies) + " pieces";
  report.facts += ground < 0 ? "  no rock" : "  rock up to " + std::to_string(ground + 1);
  report.why = "As far as the column is in view: no more of the world is held.";
  return report;
}

CellReport chunk_report(const Known& known, Vec3 at) {
  const ChunkShape& sides = known.mirror.welcome().sides;
  const ChunkCoord chunk = sides.chunk_of(at);
  const protocol::ChunkCells* const cells = known.mirror.find(chunk);
  double water = 0;
  std::int64_t wet = 0;
  std::int64_t rock = 0;
  for (std::size_t i = 0; cells != nullptr && i < cells->size(); ++i) {
    const std::int32_t cell = (*cells)[i];
    if (cell > 0) water += cell / double{kFull};
    wet += cell > 0 ? 1 : 0;
    rock += cell == kRock ? 1 : 0;
  }
  const auto share = [](std::int64_t count) {
    return std::to_string(100 * count / kChunkCells) + " %";
  };
  const double bytes = known.activity.bytes_per_second(chunk, known.now);
  CellReport report{"chunk " + to_string(chunk), "", "", bytes, "B/s"};
  report.facts = number(water) + " full cells of water in " + share(wet) + "  rock " + share(rock) +
                 "  sent " + bytes_text(bytes) + "  " + rest_text(known, at);
  report.why = cells != nullptr
                   ? "A chunk that nothing changes is asleep: it costs neither time nor bytes."
                   : "A chunk of nothing but air is not kept, and was never sent.";
  return report;
}

std::optional<CellReport> pipe_report(const Known& known, const std::string& name) {
  const protocol::PipeMirror& pipes = known.mirror.pipes();
  const auto view = pipes.find_name(name);
  if (!view) return std::nullopt;
  CellReport report{name, "", why_node(known, *view), static_cast<double>(view->amount), "units"};
  // The line of a pipe begins with its name.
  report.facts = describe_node(pipes, *view).substr(name.size() + 2);
  pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
    if (key.nodes() != view->section) return;
    for (std::size_t i = 0; i < section.plan.ports.size(); ++i) {
      const protocol::PipePort& port = section.plan.ports[i];
      if (port.node != view->node->index) continue;
      report.why += " Port: " + why_port(known, *view, port, section.port(i));
    }
  });
  return report;
}

}  // namespace

std::string describe_cell(std::int32_t cell) {
  if (cell <= kThinnestIce) {
    return "ice, " + std::to_string(kIceBase - cell) + " units";
  }
  return cell > 0 ? std::to_string(cell) + " units" : material_name(cell);
}

std::optional<CellReport> report_of(const Known& known, const Subject& subject) {
  switch (subject.kind) {
    case Subject::Kind::kCell:
      return cell_report(known, subject.at);
    case Subject::Kind::kColumn:
      return column_report(known, subject.at);
    case Subject::Kind::kChunk:
      return chunk_report(known, subject.at);
    case Subject::Kind::kPipe:
      return pipe_report(known, subject.name);
  }
  return std::nullopt;
}

std::string chart_of(const std::deque<double>& values, bool unicode) {
  constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty()) return "";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double range = *most - *least;
  std::string chart;
  for (const double value : values) {
    const double share = range > 0 ? (value - *least) / range : 0;
    if (unicode) {
      chart += kBars.at(static_cast<std::size_t>(std::lround(share * 7)));
    } else {
      chart += static_cast<char>('0' + std::lround(share * 9));
    }
  }
  return chart;
}

void Inspector::next() {
  if (!mode_) {
    mode_ = Subject::Kind::kCell;
  } else if (*mode_ == Subject::Kind::kChunk) {
    mode_.reset();
  } else {
    mode_ = *mode_ == Subject::Kind::kCell ? Subject::Kind::kColumn : Subject::Kind::kChunk;
  }
}

const char* Inspector::mode_name() const {
  if (!mode_) return "off";
  return *mode_ == Subject::Kind::kCell     ? "cell"
         : *mode_ == Subject::Kind::kColumn ? "column"
                                            : "chunk";
}

Subject Inspector::subject_at(const Known& known, Vec3 at) const {
  const Subject::Kind kind = mode_.value_or(Subject::Kind::kCell);
  const auto here = known.mirror.pipes().nodes_in(at);
  if (kind == Subject::Kind::kCell && !here.empty()) {
    return {Subject::Kind::kPipe, at, here.front().node->name};
  }
  return {kind, at, ""};
}

std::string Inspector::pin(const Known& known, const Subject& subject) {
  const auto held = std::find_if(pins_.begin(), pins_.end(),
                                 [&](const Pin& pin) { return pin.subject == subject; });
  const auto report = report_of(known, subject);
  const std::string title = report ? report->title : subject.name;
  if (held != pins_.end()) {
    pins_.erase(held);
    return title + " is no longer pinned";
  }
  if (pins_.size() == kMostPins) pins_.erase(pins_.begin());
  pins_.push_back({subject, {}});
  sampled_.reset();
  sample(known);
  return "pinned " + title;
}

void Inspector::sample(const Known& known) {
  if (sampled_ && known.now - *sampled_ < std::chrono::seconds(1)) return;
  sampled_ = known.now;
  for (Pin& pin : pins_) {
    const auto report = report_of(known, pin.subject);
    if (!report) continue;
    pin.values.push_back(report->value);
    if (pin.values.size() > kSamples) pin.values.pop_front();
  }
}

std::vector<std::string> Inspector::pin_lines(const Known& known, bool unicode,
                                              std::size_t columns) const {
  std::vector<std::string> lines;
  for (const Pin& pin : pins_) {
    const auto report = report_of(known, pin.subject);
    if (!report) {
      lines.push_back(" " + pin.subject.name + " is gone");
      continue;
    }
    std::string line =
        " " + report->title + "  " + number(report->value) + " " + report->unit + "  ";
    std::deque<double> shown = pin.values;
    // The newest of what there is room for.
    const std::size_t room = columns > line.size() ? columns - line.size() : 0;
    while (shown.size() > room) shown.pop_front();
    lines.push_back(line + chart_of(shown, unicode));
  }
  return lines;
}

std::vector<std::string> wrap(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.size(), at + std::max<std::size_t>(columns, 1));
    if (end < text.size()) {
      const std::size_t blank = text.rfind(' ', end);
      if (blank != std::string::npos && blank > at) end = blank;
    }
    lines.push_back(text.substr(at, end - at));
    at = end;
    while (at < text.size() && text[at] == ' ') ++at;
  }
  return lines;
}

}  // namespace sluice::client
