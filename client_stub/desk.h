// What the terminal viewer shows, and what keys and the mouse do to it. No I/O: it is given events
// and what is known of the world, and hands out commands and what is to be written.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_stub/activity.h"
#include "client_stub/command_queue.h"
#include "client_stub/far.h"
#include "client_stub/fixtures.h"
#include "client_stub/hand.h"
#include "client_stub/inspector.h"
#include "client_stub/keys.h"
#include "client_stub/overlay.h"
#include "client_stub/people.h"
#include "client_stub/picture.h"
#include "client_stub/pipe_tool.h"
#include "client_stub/screen.h"
#include "client_stub/sparks.h"
#include "client_stub/status_text.h"
#include "client_stub/surfaces.h"
#include "client_stub/terminal_style.h"
#include "protocol/mirror.h"

namespace sluice::client {

class Desk {
 public:
  using Clock = Activity::Clock;

  /// Keys that wait for cells at the most: a stroke of the mouse is many.
  static constexpr std::size_t kMostHeldKeys = 1000;

  explicit Desk(TerminalStyle style);

  void resize(int columns, int rows);
  /// `first`: of this program; a connection that came back shows what was shown.
  void welcomed(const protocol::Mirror& mirror, bool first);
  void ticked(const protocol::Mirror& mirror, Clock::time_point now);
  void answered(const protocol::CommandResult& result);
  void set_people(const std::vector<protocol::Person>& people, std::uint64_t own) {
    people_.take(people, own);
  }
  void set_fixtures(Fixtures fixtures) { fixtures_ = std::move(fixtures); }
  /// The connection is gone. Edits that nobody answered are counted and told of.
  void lost(std::string why);
  void handle(const protocol::Mirror& mirror, const Key& key, bool connected,
              Clock::time_point now);

  /// What is to be seen of the world, as SetView has it.
  struct View {
    Box box;
    std::uint32_t layers = 0;
    std::uint8_t level_of_detail = 0;
    std::uint32_t coarse_layers = 0;

    friend bool operator==(const View&, const View&) = default;
  };
  [[nodiscard]] View view(const protocol::Mirror& mirror) const;
  /// Where the cursor is and what is seen, for the others.
  [[nodiscard]] protocol::Pointer pointer(const protocol::Mirror& mirror) const;
  [[nodiscard]] CommandQueue& queue() { return queue_; }

  /// The picture and all that is laid over it; `line` stands at the bottom instead of the status
  /// when there is no connection. Returns what has to be written.
  [[nodiscard]] std::string draw(const protocol::Mirror& mirror, bool connected,
                                 const std::string& line, Clock::time_point now);

 private:
  void handle_help(const Key& key);
  void scroll(int lines);
  [[nodiscard]] int help_rows() const;
  void handle_mouse(const protocol::Mirror& mirror, const Key& key, const Known& known);
  void use_character(const protocol::Mirror& mirror, char character, const Known& known);
  [[nodiscard]] bool move_by(char character, Vec3 size);
  [[nodiscard]] bool choose(const protocol::Mirror& mirror, char character);
  void go_to_next_person(Vec3 size);
  void change_slice(std::int32_t by, Vec3 size);
  void act(Act done);
  /// Asks for what the picture needs: the cells, or a level of detail.
  void look_from_afar(const protocol::Mirror& mirror, Clock::time_point now);
  /// A key that needs cells, from afar: it waits for them, and all keys after it for their turn.
  void hold(const Key& key, Clock::time_point now);
  void take_up(const protocol::Mirror& mirror, Clock::time_point now);

  [[nodiscard]] Box box(const protocol::Mirror& mirror) const;
  [[nodiscard]] Vec3 cursor() const;
  [[nodiscard]] Known known(const protocol::Mirror& mirror, Clock::time_point now) const;
  void settle(const protocol::Mirror& mirror);
  void draw_world(const Known& known);
  void draw_lines(const Known& known);
  void look_up(const Known& known);
  void draw_help();

  TerminalStyle style_;
  Screen screen_;
  Picture picture_;
  Facts facts_;
  Hand hand_;
  PipeTool pipe_tool_;
  Overlay overlay_;
  Inspector inspector_;
  Surfaces surfaces_;
  Activity activity_;
  Fixtures fixtures_;
  People people_;
  CommandQueue queue_;
  Far far_;
  Sparks sparks_;
  std::vector<Key> held_keys_;

  bool stale_ = true;  // what surfaces_ holds
  Box settled_;
  int settled_level_ = 0;
  Clock::time_point settle_again_;
  std::vector<std::string> lines_;  // of the inspector, over the status
  std::optional<Clock::time_point> looked_up_;
  bool shows_help_ = false;
  int help_top_ = 0;  // the first of its lines that is shown
};

}  // namespace sluice::client
