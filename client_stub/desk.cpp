#include "client_stub/desk.h"

#include <algorithm>
#include <utility>

#include "client_stub/layers.h"
#include "client_stub/pipe_picture.h"
#include "client_stub/placing.h"

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
constexpr std::int32_t kLargestBrush = 16;
constexpr std::int32_t kFar = 8;

}  // namespace

Desk::Desk(TerminalStyle style) : style_(style), overlay_(style.colours) {
  screen_.set_style(style);
}

void Desk::resize(int columns, int rows) {
  screen_.resize(columns, rows);
  picture_.width = columns;
  picture_.height = std::max(1, rows - 1) * 2;
}

void Desk::welcomed(const protocol::Mirror& mirror, bool first) {
  const Vec3 size = mirror.welcome().size;
  if (first) {
    picture_.slice = (size.z - 1) / 2;
    picture_.fit(size);
  }
  activity_ = Activity();
  stale_ = true;
  facts_.connection_error.clear();
}

void Desk::ticked(const protocol::Mirror& mirror, Clock::time_point now) {
  facts_.tick_came(mirror);
  activity_.note(mirror, now);
  stale_ |= !mirror.changed().empty();
}

void Desk::answered(const protocol::CommandResult& result) {
  queue_.answered(result.seq);
  if (!result.applied) facts_.say("refused: " + result.reason);
}

void Desk::lost(std::string why) {
  hand_.cancel();
  const std::size_t edits = queue_.reset();
  facts_.connection_error = std::move(why);
  if (edits > 0) {
    facts_.connection_error +=
        "; " + std::to_string(edits) + (edits == 1 ? " edit" : " edits") + " may be lost";
  }
}

Box Desk::view(const protocol::Mirror& mirror) const {
  return picture_.view(mirror.welcome().size);
}

Vec3 Desk::cursor() const {
  return {picture_.cursor_x, picture_.cursor_y, picture_.slice};
}

Known Desk::known(const protocol::Mirror& mirror, Clock::time_point now) const {
  return {mirror, surfaces_, activity_, fixtures_, now};
}

void Desk::handle(const protocol::Mirror& mirror, const Key& key, bool connected,
                  Clock::time_point now) {
  if (shows_help_) return handle_help(key);
  if (key.kind == KeyKind::kCharacter && key.character == '?') {
    shows_help_ = true;
    help_top_ = 0;
    return;
  }
  if (!connected) return;
  const Known seen = known(mirror, now);
  const Vec3 size = mirror.welcome().size;
  looked_up_.reset();
  switch (key.kind) {
    case KeyKind::kLeft:
      return picture_.pan(-0.1, 0, size);
    case KeyKind::kRight:
      return picture_.pan(0.1, 0, size);
    case KeyKind::kUp:
      return picture_.pan(0, 0.1, size);
    case KeyKind::kDown:
      return picture_.pan(0, -0.1, size);
    case KeyKind::kPageUp:
      return change_slice(1, size);
    case KeyKind::kPageDown:
      return change_slice(-1, size);
    case KeyKind::kHome:
      return picture_.fit(size);
    case KeyKind::kWheelUp:
      return picture_.change_zoom(1, size);
    case KeyKind::kWheelDown:
      return picture_.change_zoom(-1, size);
    case KeyKind::kMousePress:
    case KeyKind::kMouseDrag:
    case KeyKind::kMouseRelease:
      return handle_mouse(mirror, key, seen);
    case KeyKind::kCharacter:
      return handle_character(mirror, key.character, seen);
    case KeyKind::kEscape:
      hand_.cancel();
      return pipe_tool_.clear();
  }
}

void Desk::handle_mouse(const protocol::Mirror& mirror, const Key& key, const Known& known) {
  if (key.kind == KeyKind::kMouseRelease) return act(hand_.end(mirror));
  const Vec3 size = mirror.welcome().size;
  picture_.move_cursor(picture_.cell_x(key.column), picture_.cell_y(key.row * 2), size);
  if (key.kind == KeyKind::kMouseDrag) return act(hand_.move(mirror, cursor()));
  if (key.button == 1) {
    return facts_.say(inspector_.pin(known, inspector_.subject_at(known, cursor())));
  }
  if (key.button == 0 && hand_.copies()) return act(hand_.copy(mirror, cursor()));
  if (key.button == 0) return act(hand_.begin(mirror, cursor()));
  if (key.button == 2) return act(hand_.begin(mirror, cursor(), Tool::kDig));
}

bool Desk::move_by(char character, Vec3 size) {
  const auto move = [&](std::int32_t x, std::int32_t y) {
    picture_.move_cursor(picture_.cursor_x + x, picture_.cursor_y + y, size);
    return true;
  };
  const auto pan = [&](double x, double y) {
    picture_.pan(x, y, size);
    return true;
  };
  switch (character) {
    case 'h':
      return pan(-0.1, 0);
    case 'l':
      return pan(0.1, 0);
    case 'k':
      return pan(0, 0.1);
    case 'j':
      return pan(0, -0.1);
    case 'a':
      return move(-1, 0);
    case 'd':
      return move(1, 0);
    case 'w':
      return move(0, 1);
    case 's':
      return move(0, -1);
    case 'A':
      return move(-kFar, 0);
    case 'D':
      return move(kFar, 0);
    case 'W':
      return move(0, kFar);
    case 'S':
      return move(0, -kFar);
    case '+':
    case '=':
      picture_.change_zoom(1, size);
      return true;
    case '-':
      picture_.change_zoom(-1, size);
      return true;
    case '0':
      picture_.fit(size);
      return true;
    case ',':
    case '.':
      change_slice(character == ',' ? -1 : 1, size);
      return true;
    default:
      return false;
  }
}

/// What is in the hand, and what is shown.
bool Desk::choose(const protocol::Mirror& mirror, char character) {
  const auto take = [&](Shape shape) {
    hand_.cancel();
    hand_.shape = shape;
    return true;
  };
  switch (character) {
    case 'f':
      return take(Shape::kBrush);
    case 'L':
      return take(Shape::kLine);
    case 'R':
      return take(Shape::kBox);
    case 'G':
      return take(Shape::kFill);
    case '[':
      hand_.brush = std::max(1, hand_.brush - 1);
      return true;
    case ']':
      hand_.brush = std::min(kLargestBrush, hand_.brush + 1);
      return true;
    case 'M':
      hand_.mixture = next_mixture(mirror, hand_.mixture);
      facts_.say("what is poured, and springs bring: " + hand_.mixture.describe());
      return true;
    case 'O':
      overlay_.next(mirror);
      facts_.say("overlay: " + overlay_.name());
      return true;
    case 'I':
      inspector_.next();
      facts_.say(std::string("inspect: ") + inspector_.mode_name());
      return true;
    default:
      return false;
  }
}

void Desk::handle_character(const protocol::Mirror& mirror, char character, const Known& known) {
  if (PipeTool::takes(character)) return act(pipe_tool_.press(character, cursor(), mirror));
  if (is_placed_by(character)) {
    return act(place(character, cursor(), mirror, fixtures_, hand_.mixture));
  }
  if (move_by(character, mirror.welcome().size) || choose(mirror, character)) return;
  const auto use = [&](Tool tool) {
    hand_.tool = tool;
    act(hand_.use(mirror, cursor()));
  };
  switch (character) {
    case 'x':
      return use(Tool::kDig);
    case 'r':
      return use(Tool::kRock);
    case 'p':
      return use(Tool::kPour);
    case ' ':
      return use(hand_.tool);
    case 't':
      return act(hand_.pick(mirror, cursor()));
    case 'y':
      return act(hand_.copy(mirror, cursor()));
    case 'Y':
      return act(hand_.paste(mirror, cursor()));
    case 'z':
      return act(hand_.undo(mirror, queue_.idle()));
    case 'Z':
      return act(hand_.redo(mirror));
    case 'K':
      return use(Tool::kTake);
    case 'T':
      return facts_.say(inspector_.pin(known, inspector_.subject_at(known, cursor())));
    default:
      return;
  }
}

void Desk::act(Act done) {
  if (!queue_.push(std::move(done.commands))) {
    done.said = "this is faster than the server: it was left out";
  }
  if (!done.said.empty()) facts_.say(std::move(done.said));
}

void Desk::change_slice(std::int32_t by, Vec3 size) {
  picture_.slice = std::clamp(picture_.slice + by, 0, size.z - 1);
}

/// Keys that scroll do; any other one closes the help.
void Desk::handle_help(const Key& key) {
  const auto is = [&](char character) {
    return key.kind == KeyKind::kCharacter && key.character == character;
  };
  const int page = std::max(1, screen_.rows() - 2);
  if (key.kind == KeyKind::kDown || key.kind == KeyKind::kWheelDown || is('j')) return scroll(1);
  if (key.kind == KeyKind::kUp || key.kind == KeyKind::kWheelUp || is('k')) return scroll(-1);
  if (key.kind == KeyKind::kPageDown || is(' ')) return scroll(page);
  if (key.kind == KeyKind::kPageUp) return scroll(-page);
  if (key.kind == KeyKind::kMouseRelease || key.kind == KeyKind::kMouseDrag) return;
  shows_help_ = false;
}

void Desk::scroll(int lines) {
  const int hidden = static_cast<int>(help_lines().size()) - help_rows();
  help_top_ = std::clamp(help_top_ + lines, 0, std::max(0, hidden));
}

/// Of the screen, for the help: the status line stays.
int Desk::help_rows() const {
  return std::min(static_cast<int>(help_lines().size()), std::max(1, screen_.rows() - 1));
}

/// Whole chunks, since water that the picture's edge cuts goes on behind it.
void Desk::settle(const protocol::Mirror& mirror) {
  const ChunkShape& sides = mirror.welcome().sides;
  const Box shown = view(mirror);
  const Vec3 from = sides.box(sides.chunk_of(shown.from)).from;
  const Vec3 end = sides.box(sides.chunk_of(shown.end() - Vec3{1, 1, 1})).end();
  const Box box{{from.x, from.y, picture_.slice}, {end.x - from.x, end.y - from.y, 1}};
  const Clock::time_point now = Clock::now();
  if (box == settled_ && (!stale_ || now < settle_again_)) return;
  surfaces_.settle(mirror, box);
  const Clock::time_point done = Clock::now();
  settle_again_ = done + (done - now) * kSettleShare;
  settled_ = box;
  stale_ = false;
}

std::uint32_t Desk::layers(const protocol::Mirror& mirror) const {
  return inspector_.looks() ? bits_of_known_layers(mirror) : overlay_.layers(mirror);
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
  draw_fixtures(fixtures_, picture_, known.mirror.welcome().size, screen_);
  draw_pipes(picture_, known.mirror, pipe_tool_.marked(), screen_);
  overlay_.write(known, picture_, screen_);
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
    settle(mirror);
    const Known seen = known(mirror, now);
    draw_world(seen);
    draw_lines(seen);
  }
  facts_.picture = picture_;
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
