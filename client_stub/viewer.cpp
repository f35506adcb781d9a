#include "client_stub/viewer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "client_stub/desk.h"
#include "client_stub/http.h"
#include "client_stub/keys.h"
#include "client_stub/terminal.h"
#include "client_stub/world_client.h"
#include "protocol/limits.h"

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
constexpr milliseconds kFixturesInterval{2000};
/// Others see a cursor move; the server tells them about as often.
constexpr milliseconds kPointerInterval{protocol::kPeoplePauseMilliseconds};
constexpr char kControlC = 3;

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
        retry_(context_),
        fixtures_(context_),
        desk_(options.style) {}

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
    events.ticked = [this] { desk_.ticked(client_->mirror(), Clock::now()); };
    events.met = [this] {
      desk_.set_people(client_->session().people(), client_->mirror().welcome().person);
    };
    events.answered = [this](const protocol::CommandResult& result) { desk_.answered(result); };
    events.closed = [this](std::string reason) { closed(std::move(reason)); };
    client_ = std::make_unique<WorldClient>(context_, options_.address, options_.client_name,
                                            std::move(events));
  }

  void welcomed() {
    desk_.welcomed(client_->mirror(), !was_welcomed_);
    was_welcomed_ = true;
    sent_view_.reset();
    said_.reset();
    retry_delay_ = kFirstRetry;
    send_view();
    ask_fixtures();
  }

  /// Not over TLS, which a plain request does not speak: they are then not shown.
  void ask_fixtures() {
    const Address& address = options_.address;
    if (address.encrypted || asks_fixtures_) return;
    asks_fixtures_ = true;
    const HttpRequest request{"GET", "http://" + address.authority(),
                              address.path + "/fixtures" + address.query, address.token, ""};
    ask(context_, request, [this](const Result<HttpReply>& answer) {
      auto fixtures = answer.ok() && answer.value().status == 200
                          ? read_fixtures(answer.value().body)
                          : std::nullopt;
      if (fixtures) desk_.set_fixtures(std::move(*fixtures));
      fixtures_.expires_after(kFixturesInterval);
      fixtures_.async_wait([this](error_code cancelled) {
        asks_fixtures_ = false;
        if (!cancelled && client_->ready()) ask_fixtures();
      });
    });
  }

  void closed(std::string reason) {
    if (quitting_) return stop();
    if (!was_welcomed_) {
      complaint_ = reason;
      status_ = 2;
      return stop();
    }
    desk_.lost(std::move(reason));
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
    desk_.resize(size.columns, size.rows);
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
    point();
    send_commands();
    frame_.expires_after(kFrame);
    frame_.async_wait([this](error_code error) {
      if (!error) draw_frames();
    });
  }

  void send_view() {
    if (!client_->ready()) return;
    const Desk::View view = desk_.view(client_->mirror());
    if (view == sent_view_) return;
    sent_view_ = view;
    client_->set_view(view.box, view.layers, view.level_of_detail, view.coarse_layers);
  }

  void point() {
    const Clock::time_point now = Clock::now();
    if (!client_->ready() || now < said_at_ + kPointerInterval) return;
    protocol::Pointer pointer = desk_.pointer(client_->mirror());
    if (said_ && said_->at == pointer.at && said_->sees == pointer.sees) return;
    said_at_ = now;
    pointer.name = options_.person_name;
    said_ = pointer;
    client_->point(std::move(pointer));
  }

  void handle(const Key& key) {
    if (key.kind == KeyKind::kCharacter && (key.character == 'q' || key.character == kControlC)) {
      return quit();
    }
    desk_.handle(client_->mirror(), key, was_welcomed_ && client_->ready(), Clock::now());
    send_commands();
  }

  void send_commands() {
    if (!client_->ready()) return;
    desk_.queue().flush(
        Clock::now(), [this](std::string line) { return client_->send_command(std::move(line)); });
  }

  void draw() {
    const std::string waiting = was_welcomed_ ? std::string(" connection lost, trying again: ")
                                              : " connecting to " + options_.address.url() + " ...";
    Terminal::write(
        desk_.draw(client_->mirror(), was_welcomed_ && client_->ready(), waiting, Clock::now()));
  }

  const ViewerOptions& options_;
  asio::io_context context_{1};
  asio::signal_set signals_;
  asio::signal_set window_;
  asio::posix::stream_descriptor keyboard_;
  asio::steady_timer frame_;
  asio::steady_timer escape_;
  asio::steady_timer retry_;
  asio::steady_timer fixtures_;
  std::unique_ptr<WorldClient> client_;
  std::array<char, 1024> input_{};
  KeyParser parser_;
  Desk desk_;
  std::optional<Desk::View> sent_view_;
  std::optional<protocol::Pointer> said_;  // to the others
  Clock::time_point said_at_;
  milliseconds retry_delay_ = kFirstRetry;
  bool was_welcomed_ = false;
  bool asks_fixtures_ = false;  // or waits to ask again
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
