#include "client_stub/viewer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "client_stub/keys.h"
#include "client_stub/picture.h"
#include "client_stub/pipe_picture.h"
#include "client_stub/pipe_tool.h"
#include "client_stub/status_text.h"
#include "client_stub/terminal.h"
#include "client_stub/world_client.h"

namespace sluice::client {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFrame{33};
constexpr milliseconds kEscapeWait{50};
constexpr milliseconds kFirstRetry{500};
constexpr milliseconds kLongestRetry{8000};
constexpr Colour kInk{215, 223, 235};
constexpr Colour kBar{24, 32, 46};
constexpr Colour kBadBar{96, 32, 36};
constexpr Colour kPipeBar{34, 48, 70};

// A description of its own of the terminal that standard input is: Asio makes it non-blocking,
// which the shell's must not become. (/dev/tty would be the controlling terminal, which there may
// not be.)
int open_keyboard() {
  std::array<char, 256> name{};
  const bool named = ttyname_r(STDIN_FILENO, name.data(), name.size()) == 0;
  const int opened = named ? open(name.data(), O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
  return opened >= 0 ? opened : dup(STDIN_FILENO);
}

class Viewer {
 public:
  explicit Viewer(const ViewerOptions& options)
      : options_(options),
        signals_(context_, SIGINT, SIGTERM, SIGHUP),
        window_(context_, SIGWINCH),
        keyboard_(context_, open_keyboard()),
        frame_(context_),
        escape_(context_),
        retry_(context_) {
    screen_.set_style(options.style);
  }

  int run() {
    resize();
    connect();
    signals_.async_wait([this](error_code error, int) {
      if (!error) quit();
    });
    watch_window();
    read_keys();
    draw_frames();
    context_.run();
    return status_;
  }

  /// Why it ended, for after the terminal is back; empty when the user wanted it.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  void connect() {
    WorldClient::Events events;
    events.welcomed = [this] { welcomed(); };
    events.ticked = [this] { facts_.tick_came(client_->mirror()); };
    events.answered = [this](const protocol::CommandResult& result) {
      if (!result.applied) facts_.say("refused: " + result.reason);
    };
    events.closed = [this](std::string reason) { closed(std::move(reason)); };
    client_ = std::make_unique<WorldClient>(context_, options_.address, options_.client_name,
                                            std::move(events));
  }

  void welcomed() {
    const Vec3 size = client_->mirror().welcome().size;
    if (!was_welcomed_) {
      picture_.slice = (size.z - 1) / 2;
      picture_.fit(size);
    }
    was_welcomed_ = true;
    sent_view_ = {};
    retry_delay_ = kFirstRetry;
    facts_.connection_error.clear();
    send_view();
  }

  void closed(std::string reason) {
    if (quitting_) return stop();
    if (!was_welcomed_) {
      complaint_ = reason;
      status_ = 2;
      return stop();
    }
    facts_.connection_error = std::move(reason);
    retry_.expires_after(retry_delay_);
    retry_delay_ = std::min(retry_delay_ * 2, kLongestRetry);
    retry_.async_wait([this](error_code error) {
      if (!error) connect();
    });
  }

  void quit() {
    quitting_ = true;
    if (client_->ready()) {
      client_->close();
    } else {
      stop();
    }
  }

  void stop() { context_.stop(); }

  void watch_window() {
    window_.async_wait([this](error_code error, int) {
      if (error) return;
      resize();
      watch_window();
    });
  }

  void resize() {
    const TerminalSize size = Terminal::size();
    screen_.resize(size.columns, size.rows);
    picture_.width = size.columns;
    picture_.height = std::max(1, size.rows - 1) * 2;
  }

  void read_keys() {
    keyboard_.async_read_some(asio::buffer(input_), [this](error_code error, std::size_t bytes) {
      // The terminal went away.
      if (error) return quit();
      for (const Key& key : parser_.feed({input_.data(), bytes})) handle(key);
      escape_.expires_after(kEscapeWait);
      escape_.async_wait([this](error_code cancelled) {
        if (cancelled) return;
        for (const Key& key : parser_.idle()) handle(key);
      });
      read_keys();
    });
  }

  void draw_frames() {
    draw();
    send_view();
    frame_.expires_after(kFrame);
    frame_.async_wait([this](error_code error) {
      if (!error) draw_frames();
    });
  }

  void send_view() {
    if (!client_->ready()) return;
    const Box view = picture_.view(world_size());
    if (view == sent_view_) return;
    sent_view_ = view;
    client_->set_view(view);
  }

  [[nodiscard]] Vec3 world_size() const { return client_->mirror().welcome().size; }

  void handle(const Key& key) {
    if (key.kind == KeyKind::kCharacter && (key.character == 'q' || key.character == 3)) {
      return quit();
    }
    if (shows_help_) return handle_help(key);
    if (!was_welcomed_ || !client_->ready()) return;
    const Vec3 size = world_size();
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
        return change_slice(1);
      case KeyKind::kPageDown:
        return change_slice(-1);
      case KeyKind::kHome:
        return picture_.fit(size);
      case KeyKind::kWheelUp:
        return picture_.change_zoom(1, size);
      case KeyKind::kWheelDown:
        return picture_.change_zoom(-1, size);
      case KeyKind::kMousePress:
        picture_.move_cursor(picture_.cell_x(key.column), picture_.cell_y(key.row * 2), size);
        if (key.button == 0) use_tool();
        return;
      case KeyKind::kCharacter:
        return handle_character(key.character);
      case KeyKind::kEscape:
        return pipe_tool_.clear();
      case KeyKind::kMouseRelease:
        return;
    }
  }

  /// Keys that scroll do; any other one closes the help.
  void handle_help(const Key& key) {
    const auto is = [&](char character) {
      return key.kind == KeyKind::kCharacter && key.character == character;
    };
    const int page = std::max(1, screen_.rows() - 2);
    if (key.kind == KeyKind::kDown || key.kind == KeyKind::kWheelDown || is('j')) return scroll(1);
    if (key.kind == KeyKind::kUp || key.kind == KeyKind::kWheelUp || is('k')) return scroll(-1);
    if (key.kind == KeyKind::kPageDown || is(' ')) return scroll(page);
    if (key.kind == KeyKind::kPageUp) return scroll(-page);
    if (key.kind == KeyKind::kMouseRelease) return;
    shows_help_ = false;
  }

  void scroll(int lines) {
    const int hidden = static_cast<int>(help_lines().size()) - help_rows();
    help_top_ = std::clamp(help_top_ + lines, 0, std::max(0, hidden));
  }

  /// Of the screen, for the help: the status line stays.
  [[nodiscard]] int help_rows() const {
    return std::min(static_cast<int>(help_lines().size()), std::max(1, screen_.rows() - 1));
  }

  void handle_character(char character) {
    if (PipeTool::takes(character)) return use_pipe_tool(character);
    const Vec3 size = world_size();
    const auto move = [&](std::int32_t x, std::int32_t y) {
      picture_.move_cursor(picture_.cursor_x + x, picture_.cursor_y + y, size);
    };
    switch (character) {
      case 'h':
        return picture_.pan(-0.1, 0, size);
      case 'l':
        return picture_.pan(0.1, 0, size);
      case 'k':
        return picture_.pan(0, 0.1, size);
      case 'j':
        return picture_.pan(0, -0.1, size);
      case 'a':
        return move(-1, 0);
      case 'd':
        return move(1, 0);
      case 'w':
        return move(0, 1);
      case 's':
        return move(0, -1);
      case 'A':
        return move(-8, 0);
      case 'D':
        return move(8, 0);
      case 'W':
        return move(0, 8);
      case 'S':
        return move(0, -8);
      case '+':
      case '=':
        return picture_.change_zoom(1, size);
      case '-':
        return picture_.change_zoom(-1, size);
      case '0':
        return picture_.fit(size);
      case ',':
        return change_slice(-1);
      case '.':
        return change_slice(1);
      case '[':
        picture_.brush = std::max(1, picture_.brush - 1);
        return;
      case ']':
        picture_.brush = std::min(16, picture_.brush + 1);
        return;
      case 'x':
        tool_ = Tool::kDig;
        return use_tool();
      case 'r':
        tool_ = Tool::kRock;
        return use_tool();
      case 'p':
        tool_ = Tool::kPour;
        return use_tool();
      case ' ':
        return use_tool();
      case '?':
        shows_help_ = true;
        help_top_ = 0;
        return;
      default:
        return;
    }
  }

  void change_slice(std::int32_t by) {
    picture_.slice = std::clamp(picture_.slice + by, 0, world_size().z - 1);
  }

  void use_tool() {
    const Box box = picture_.brush_box(world_size());
    for (std::string& command : commands_of(tool_, box, client_->mirror())) {
      client_->send_command(std::move(command));
    }
  }

  [[nodiscard]] Vec3 cursor() const {
    return {picture_.cursor_x, picture_.cursor_y, picture_.slice};
  }

  void use_pipe_tool(char key) {
    PipeAct act = pipe_tool_.press(key, cursor(), client_->mirror());
    for (std::string& command : act.commands) client_->send_command(std::move(command));
    if (!act.said.empty()) facts_.say(std::move(act.said));
  }

  /// Over the status line: the pipe under the cursor, or else the marked one.
  void draw_pipe_line(const protocol::PipeMirror& pipes) {
    const auto here = pipes.nodes_in(cursor());
    const auto view = here.empty() ? pipes.find_name(pipe_tool_.marked()) : here.front();
    if (!view) return;
    std::string line = " " + describe_node(pipes, *view);
    line.resize(std::max(line.size(), static_cast<std::size_t>(screen_.columns())), ' ');
    screen_.text(0, screen_.rows() - 2, line, kInk, kPipeBar);
  }

  void draw() {
    const protocol::Mirror& mirror = client_->mirror();
    const bool connected = client_->ready();
    if (was_welcomed_ && connected) {
      picture_.draw(mirror, screen_);
      draw_pipes(picture_, mirror, pipe_tool_.marked(), screen_);
      draw_pipe_line(mirror.pipes());
    }
    facts_.picture = picture_;
    facts_.tool = tool_;
    const std::string line = connected ? facts_.status(mirror)
                             : was_welcomed_
                                 ? " connection lost, trying again: " + facts_.connection_error
                                 : " connecting to " + options_.address.url() + " ...";
    const bool is_bad = was_welcomed_ && !connected;
    std::string bar(static_cast<std::size_t>(screen_.columns()), ' ');
    const int row = screen_.rows() - 1;
    screen_.text(0, row, bar, kInk, is_bad ? kBadBar : kBar);
    screen_.text(0, row, line, kInk, is_bad ? kBadBar : kBar);
    if (shows_help_) draw_help();
    Terminal::write(screen_.take_changes());
  }

  void draw_help() {
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

  const ViewerOptions& options_;
  asio::io_context context_{1};
  asio::signal_set signals_;
  asio::signal_set window_;
  asio::posix::stream_descriptor keyboard_;
  asio::steady_timer frame_;
  asio::steady_timer escape_;
  asio::steady_timer retry_;
  std::unique_ptr<WorldClient> client_;
  std::array<char, 1024> input_{};
  KeyParser parser_;
  Screen screen_;
  Picture picture_;
  Facts facts_;
  Tool tool_ = Tool::kDig;
  PipeTool pipe_tool_;
  Box sent_view_;
  milliseconds retry_delay_ = kFirstRetry;
  bool was_welcomed_ = false;
  bool shows_help_ = false;
  int help_top_ = 0;  // the first of its lines that is shown
  bool quitting_ = false;
  int status_ = 0;
  std::string complaint_;
};

}  // namespace

int run_viewer(ViewerOptions options) {
  const auto style = style_of([](const char* name) { return std::getenv(name); });
  if (!style) {
    std::cerr << "sluice-view: this terminal (TERM) cannot show a picture; use --headless\n";
    return 2;
  }
  options.style = *style;
  if (const Status entered = Terminal::enter(); !entered.ok()) {
    std::cerr << "sluice-view: " << entered.error() << '\n';
    return 2;
  }
  Viewer viewer(options);
  const int status = viewer.run();
  Terminal::leave();
  if (!viewer.complaint().empty()) std::cerr << "sluice-view: " << viewer.complaint() << '\n';
  return status;
}

}  // namespace sluice::client
