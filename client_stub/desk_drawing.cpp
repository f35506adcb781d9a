// What a desk draws: the world, what is laid over it, lines of text below, and the help.
#include <algorithm>

#include "client_stub/desk.h"
#include "client_stub/pipe_picture.h"

namespace sluice::client {

namespace {

constexpr Colour kInk{215, 223, 235};
constexpr Colour kBar{24, 32, 46};
constexpr Colour kBadBar{96, 32, 36};
constexpr Colour kFactsBar{34, 48, 70};
constexpr Colour kPinBar{28, 40, 58};
/// Lines of the inspector at the most: the picture matters more.
constexpr std::size_t kMostLines = 3;
/// Facts are worked out anew this often, since a large network takes a while to walk through.
constexpr std::chrono::milliseconds kLookUpAgain{200};
/// Of the time between two looks at the surfaces, at most this part goes into them.
constexpr int kSettleShare = 4;

}  // namespace

/// Whole chunks, since water that the picture's edge cuts goes on behind it.
void Desk::settle(const protocol::Mirror& mirror) {
  const ChunkShape& sides = mirror.welcome().sides;
  const Box shown = box(mirror);
  const Vec3 from = sides.box(sides.chunk_of(shown.from)).from;
  const Vec3 end = sides.box(sides.chunk_of(shown.end() - Vec3{1, 1, 1})).end();
  const Box box{{from.x, from.y, picture_.slice}, {end.x - from.x, end.y - from.y, 1}};
  const Clock::time_point now = Clock::now();
  const bool is_same = box == settled_ && settled_level_ == picture_.level;
  if (is_same && (!stale_ || now < settle_again_)) return;
  surfaces_.settle(mirror, box, picture_.level);
  const Clock::time_point done = Clock::now();
  settle_again_ = done + (done - now) * kSettleShare;
  settled_ = box;
  settled_level_ = picture_.level;
  stale_ = false;
}

void Desk::draw_world(const Known& known) {
  picture_.brush = hand_.shape == Shape::kBox || hand_.shape == Shape::kFill ? 1 : hand_.brush;
  overlay_.rescale(known);
  const std::vector<Box> preview = hand_.preview(known.mirror, cursor());
  // Of few colours a mixture would be any of them.
  const double share =
      style_.colours == ColourDepth::kTrue || style_.colours == ColourDepth::k256 ? 0.45 : 1.0;
  picture_.draw(
      known.mirror, surfaces_,
      [&](Vec3 cell, Colour base) {
        const Colour colour = overlay_.tint(known, cell, base);
        const bool covered = std::any_of(preview.begin(), preview.end(),
                                         [&](const Box& box) { return box.contains(cell); });
        return covered ? blend(colour, kCursor, share) : colour;
      },
      screen_);
  sparks_.draw(known.mirror, picture_, known.now, style_.unicode, screen_);
  draw_fixtures(fixtures_, picture_, known.mirror.welcome().size, screen_);
  draw_pipes(picture_, known.mirror, pipe_tool_.marked(), screen_);
  overlay_.write(known, picture_, screen_);
  people_.draw(picture_, overlay_.kind() == OverlayKind::kViews, screen_);
  overlay_.draw_legend(screen_);
}

/// What lies under the cursor: a pipe is told of always, the rest when it is asked for.
void Desk::look_up(const Known& known) {
  if (looked_up_ && known.now - *looked_up_ < kLookUpAgain) return;
  looked_up_ = known.now;
  inspector_.sample(known);
  lines_.clear();
  const auto width = static_cast<std::size_t>(std::max(1, screen_.columns() - 2));
  const Subject subject = inspector_.subject_at(known, cursor());
  if (inspector_.on()) {
    const auto report = report_of(known, subject);
    if (!report) return;
    std::string text = report->title + "  " + report->facts;
    if (!report->why.empty()) text += "  " + report->why;
    lines_ = wrap(text, width);
    if (lines_.size() > kMostLines) lines_.resize(kMostLines);
    return;
  }
  const protocol::PipeMirror& pipes = known.mirror.pipes();
  const auto here = pipes.nodes_in(cursor());
  const auto view = here.empty() ? pipes.find_name(pipe_tool_.marked()) : here.front();
  if (view) lines_.push_back(describe_node(pipes, *view));
  const std::string fixture = describe_fixture(fixtures_, cursor());
  if (!fixture.empty()) lines_.push_back(fixture);
}

/// Over the status line: what is pinned, and under it what the cursor stands on.
void Desk::draw_lines(const Known& known) {
  look_up(known);
  const auto width = static_cast<std::size_t>(screen_.columns());
  const auto pins = inspector_.pin_lines(known, style_.unicode, width);
  int row = screen_.rows() - 1 - static_cast<int>(lines_.size() + pins.size());
  const std::string empty(width, ' ');
  for (const std::string& line : pins) {
    screen_.text(0, row, empty, kInk, kPinBar);
    screen_.text(0, row++, line, kInk, kPinBar);
  }
  for (const std::string& line : lines_) {
    screen_.text(0, row, empty, kInk, kFactsBar);
    screen_.text(0, row++, " " + line, kInk, kFactsBar);
  }
}

std::string Desk::draw(const protocol::Mirror& mirror, bool connected, const std::string& line,
                       Clock::time_point now) {
  if (connected) {
    look_from_afar(mirror, now);
    take_up(mirror, now);
    const Known seen = known(mirror, now);
    if (!far_.waits()) {
      settle(mirror);
      draw_world(seen);
    }
    draw_lines(seen);
  }
  facts_.picture = picture_;
  facts_.people = people_.count();
  facts_.tool = hand_.tool;
  facts_.shape = hand_.shape;
  facts_.brush = hand_.brush;
  facts_.mixture = hand_.mixture;
  const bool is_bad = !facts_.connection_error.empty();
  const std::string status = connected ? facts_.status(mirror)
                             : is_bad  ? line + facts_.connection_error
                                       : line;
  const Colour paper = is_bad && !connected ? kBadBar : kBar;
  const int row = screen_.rows() - 1;
  screen_.text(0, row, std::string(static_cast<std::size_t>(screen_.columns()), ' '), kInk, paper);
  screen_.text(0, row, status, kInk, paper);
  if (shows_help_) draw_help();
  return screen_.take_changes();
}

void Desk::draw_help() {
  scroll(0);  // the window may be another one
  const auto lines = help_lines();
  const int rows = help_rows();
  const int width = static_cast<int>(lines.front().size());
  const int left = std::max(0, (screen_.columns() - width) / 2);
  const int top = std::max(0, (screen_.rows() - 1 - rows) / 2);
  for (int row = 0; row < rows; ++row) {
    screen_.text(left, top + row, lines[static_cast<std::size_t>(help_top_ + row)], kInk, kBar);
  }
  const int below = static_cast<int>(lines.size()) - rows - help_top_;
  if (help_top_ > 0) screen_.text(left + width - 10, top, " more: up ", kBar, kInk);
  if (below > 0) screen_.text(left + width - 12, top + rows - 1, " more: down ", kBar, kInk);
}

}  // namespace sluice::client
