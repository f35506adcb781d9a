// Who else is here: where each points, with a name, as the browser's page shows it (people.ts); and
// what each has on the screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client_stub/picture.h"
#include "client_stub/screen.h"
#include "protocol/messages.h"

namespace sluice::client {

class People {
 public:
  /// All whom the server tells of; `own` is the number of who looks (Welcome::person).
  void take(const std::vector<protocol::Person>& people, std::uint64_t own);
  /// Oneself among them.
  [[nodiscard]] std::size_t count() const { return here_; }
  /// The one after whom this told of last, and the first again after all; null: nobody else is
  /// here.
  [[nodiscard]] const protocol::Person* next();

  /// Those who point in the slice. `sights`: with a frame around what each sees.
  void draw(const Picture& picture, bool sights, Screen& screen) const;

 private:
  std::vector<protocol::Person> others_;
  std::size_t here_ = 0;
  std::uint64_t told_ = 0;  // the number of whom next() told of last
};

/// Two guests are told apart by their numbers.
[[nodiscard]] std::string title_of(const protocol::Person& person);

/// The cells of the slice that the picture shows.
[[nodiscard]] protocol::Sight sight_of(const Picture& picture, Vec3 size);

}  // namespace sluice::client
