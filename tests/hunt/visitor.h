// A client of the run: looks at the world, changes it, loses its connection and comes back. An
// honest one keeps a mirror, which is compared with the world; a liar says anything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "protocol/client_session.h"
#include "tests/hunt/aim.h"
#include "tests/hunt/compare.h"
#include "tests/hunt/ledger.h"
#include "tests/hunt/life.h"
#include "tests/hunt/pushes.h"

namespace sluice::hunt {

class Visitor {
 public:
  using Connect = std::function<bool(const std::shared_ptr<Wire>&)>;

  Visitor(Ground& ground, Ledger& ledger, std::int64_t number, bool lies, Connect connect);

  void come();
  /// Whether it acts by itself; else it only takes what it gets.
  void set_acting(bool acts) { acts_ = acts; }
  /// Every fault of its own ends.
  void recover();
  [[nodiscard]] bool honest() const { return !lies_; }
  [[nodiscard]] bool ready() const;
  /// Ready, and its connection has not broken without its knowledge.
  [[nodiscard]] bool ready_to_stay() const;
  /// The server has read all that came of it, which it does slowly with one above its rate.
  [[nodiscard]] bool heard() const;
  /// Commands without an answer on the connection that there is.
  [[nodiscard]] std::size_t unanswered() const { return unanswered_; }
  /// That it has sent in all, or left out.
  [[nodiscard]] std::int64_t commands() const { return commands_; }
  [[nodiscard]] const protocol::Mirror& mirror() const { return session_->mirror(); }
  [[nodiscard]] Asked asked() const { return {view_, layers_, coarse_layers_, detail_}; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void after(Duration delay, const char* name, std::function<void()> action);
  void connect();
  void look();
  void leave();
  void receive(const protocol::Bytes& bytes);
  void flush();
  void think();
  void act();
  void lie();
  [[nodiscard]] protocol::ClientMessage tale(std::int32_t x, std::int32_t y);
  void look_elsewhere();
  void point();
  void send_command();
  [[nodiscard]] sim::Command draw_command(tests::Dice& dice, std::int64_t number, bool bad) const;
  void ask_to_look_back(tests::Dice& dice);
  [[nodiscard]] protocol::SentCommands commands_to_go_on_with();
  void take_up();
  void note_result(const protocol::CommandResult& result);
  void look_at_people();
  void note_fate(const protocol::CommandResult& result);
  void note_outcome(const sim::Command& command, const protocol::CommandResult& result);
  [[nodiscard]] std::uint32_t most_layers() const;

  Ground& ground_;
  Ledger& ledger_;
  const std::int64_t number_;
  const bool lies_;
  const Connect connect_;
  const Targets targets_;
  tests::Dice moments_;
  tests::Dice faults_;
  tests::Dice points_;
  tests::Dice tales_;
  bool acts_ = true;
  // Comes back under its name and with its token, and asks what became of what it had sent.
  const bool resumes_;
  std::int64_t connections_ = 0;
  std::int64_t commands_ = 0;
  std::string name_;
  std::shared_ptr<Wire> wire_;
  std::optional<protocol::ClientSession> session_;
  Box view_;
  std::uint32_t layers_ = 0;
  std::uint32_t coarse_layers_ = 0;
  std::uint8_t detail_ = 0;
  std::size_t unanswered_ = 0;
  std::set<std::uint64_t> looks_;               // back, without an answer, by number
  std::map<std::uint64_t, sim::Command> sent_;  // without an answer, by number
  std::set<std::uint64_t> asked_;               // numbers of earlier connections, without an answer
  bool stalled_ = false;
};

}  // namespace sluice::hunt
