#include "client_stub/desk.h"

#include <algorithm>
#include <utility>

#include "client_stub/layers.h"
#include "client_stub/placing.h"

namespace sluice::client {

namespace {

constexpr std::int32_t kLargestBrush = 16;
constexpr std::int32_t kFar = 8;

}  // namespace

Desk::Desk(TerminalStyle style) : style_(style), overlay_(style.colours, style.unicode) {
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
  far_.welcomed();
  look_from_afar(mirror, Clock::now());
  activity_ = Activity();
  sparks_.welcomed();
  stale_ = true;
  facts_.connection_error.clear();
}

void Desk::ticked(const protocol::Mirror& mirror, Clock::time_point now) {
  facts_.tick_came(mirror);
  activity_.note(mirror, now);
  sparks_.told(mirror, now);
  far_.ticked(mirror);
  stale_ |= !mirror.changed().empty() || far_.shown() > 0;
}

void Desk::answered(const protocol::CommandResult& result) {
  queue_.answered(result.seq);
  if (!result.applied) facts_.say("refused: " + result.reason);
}

void Desk::lost(std::string why) {
  hand_.cancel();
  held_keys_.clear();
  const std::size_t edits = queue_.reset();
  facts_.connection_error = std::move(why);
  if (edits > 0) {
    facts_.connection_error +=
        "; " + std::to_string(edits) + (edits == 1 ? " edit" : " edits") + " may be lost";
  }
}

Box Desk::box(const protocol::Mirror& mirror) const {
  return picture_.view(mirror.welcome().size);
}

Desk::View Desk::view(const protocol::Mirror& mirror) const {
  const std::uint32_t told =
      inspector_.looks() ? bits_of_known_layers(mirror) : overlay_.layers(mirror);
  if (far_.asked() > 0) return {box(mirror), 0, static_cast<std::uint8_t>(far_.asked()), told};
  return {box(mirror), told | bit_of_layer(mirror, protocol::kEventLayer), 0, 0};
}

protocol::Pointer Desk::pointer(const protocol::Mirror& mirror) const {
  return {cursor(), true, "", sight_of(picture_, mirror.welcome().size)};
}

void Desk::look_from_afar(const protocol::Mirror& mirror, Clock::time_point now) {
  const bool needs_cells =
      overlay_.needs_cells(mirror) || inspector_.looks() || !hand_.is_free() || !held_keys_.empty();
  far_.look(mirror, picture_.zoom, needs_cells, !queue_.idle(), now);
  picture_.level = far_.shown();
}

void Desk::hold(const Key& key, Clock::time_point now) {
  if (held_keys_.size() == kMostHeldKeys) {
    held_keys_.clear();
    return facts_.say("this is faster than the cells come: it was left out");
  }
  held_keys_.push_back(key);
  far_.keep_cells(now);
}

void Desk::take_up(const protocol::Mirror& mirror, Clock::time_point now) {
  if (!far_.has_cells()) return;
  for (const Key& key : std::exchange(held_keys_, {})) handle(mirror, key, true, now);
}

Vec3 Desk::cursor() const {
  return {picture_.cursor_x, picture_.cursor_y, picture_.slice};
}

Known Desk::known(const protocol::Mirror& mirror, Clock::time_point now) const {
  return {mirror, surfaces_, activity_, fixtures_, now, picture_.level};
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
  if (!held_keys_.empty() && key.kind != KeyKind::kEscape) return hold(key, now);
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
      if (!far_.has_cells()) return hold(key, now);
      far_.keep_cells(now);
      return handle_mouse(mirror, key, seen);
    case KeyKind::kCharacter:
      if (move_by(key.character, size) || choose(mirror, key.character)) return;
      if (!far_.has_cells()) return hold(key, now);
      far_.keep_cells(now);
      return use_character(mirror, key.character, seen);
    case KeyKind::kEscape:
      held_keys_.clear();
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
    case 'N':
      go_to_next_person(size);
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

/// What is done to the world or to the inspector, at the cursor.
void Desk::use_character(const protocol::Mirror& mirror, char character, const Known& known) {
  if (PipeTool::takes(character)) return act(pipe_tool_.press(character, cursor(), mirror));
  if (is_placed_by(character)) {
    return act(place(character, cursor(), mirror, fixtures_, hand_.mixture));
  }
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

void Desk::go_to_next_person(Vec3 size) {
  const protocol::Person* const person = people_.next();
  if (person == nullptr) return facts_.say("nobody else is here");
  picture_.slice = std::clamp(person->at.z, 0, size.z - 1);
  picture_.move_cursor(person->at.x, person->at.y, size);
  facts_.say("here is " + title_of(*person));
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

}  // namespace sluice::client
