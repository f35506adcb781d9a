// Recordings, served to the browser viewer and to every other client of the protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace sluice::replay {

struct ServeOptions {
  std::vector<std::string> files;  // one, or two to be shown side by side
  std::string address = "127.0.0.1";
  std::uint16_t port = 8090;              // 0 picks a free one
  std::optional<std::uint64_t> begin_at;  // default: the first tick that can be shown
  unsigned threads = 0;                   // 0: one a core
};

class ReplayServer {
 public:
  /// Serves when this returns ok. Errors name the file or the address and say what is wrong.
  [[nodiscard]] static Result<std::unique_ptr<ReplayServer>> start(const ServeOptions& options);
  /// Stops.
  ~ReplayServer();
  ReplayServer(const ReplayServer&) = delete;
  ReplayServer& operator=(const ReplayServer&) = delete;

  void stop();
  /// "127.0.0.1:8090", as bound.
  [[nodiscard]] std::string address() const;
  /// What a person should know who sees less than the files hold; mostly empty.
  [[nodiscard]] const std::string& note() const;

 private:
  struct Implementation;
  explicit ReplayServer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sluice::replay
