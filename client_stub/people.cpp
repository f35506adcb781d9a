#include "client_stub/people.h"

#include <algorithm>
#include <array>

#include "client_stub/palette.h"

namespace sluice::client {

namespace {

/// Bright enough for dark letters on them.
constexpr std::array<Colour, 6> kColours = {{{255, 214, 102},
                                             {143, 240, 192},
                                             {124, 196, 255},
                                             {255, 158, 199},
                                             {201, 182, 255},
                                             {255, 184, 107}}};
constexpr Colour kInk{16, 20, 28};

Colour colour_of(const protocol::Person& person) {
  return kColours.at(person.number % kColours.size());
}

}  // namespace

std::string title_of(const protocol::Person& person) {
  const bool nameless = person.name.empty() || person.name == "guest";
  return nameless && !person.known ? "guest " + std::to_string(person.number) : person.name;
}

protocol::Sight sight_of(const Picture& picture, Vec3 size) {
  const auto x = [&](int pixel) { return std::clamp(picture.cell_x(pixel), 0, size.x - 1); };
  const auto y = [&](int pixel) { return std::clamp(picture.cell_y(pixel), 0, size.y - 1); };
  return {{x(0), y(picture.height - 1), picture.slice},
          {x(picture.width - 1), y(0), picture.slice}};
}

void People::take(const std::vector<protocol::Person>& people, std::uint64_t own) {
  here_ = people.size();
  others_ = people;
  std::erase_if(others_, [own](const protocol::Person& one) { return one.number == own; });
}

const protocol::Person* People::next() {
  if (others_.empty()) return nullptr;
  auto one = std::find_if(others_.begin(), others_.end(),
                          [this](const protocol::Person& each) { return each.number > told_; });
  if (one == others_.end()) one = others_.begin();
  told_ = one->number;
  return &*one;
}

void People::draw(const Picture& picture, bool sights, Screen& screen) const {
  for (const protocol::Person& person : others_) {
    const auto& sees = person.sees;
    if (sights && sees && picture.slice >= sees->from.z && picture.slice <= sees->to.z) {
      picture.outline(sees->from.x, sees->from.y, sees->to.x + 1.0, sees->to.y + 1.0,
                      colour_of(person), screen);
    }
    if (!person.pointing || person.at.z != picture.slice) continue;
    const int column = picture.column_of(person.at.x + 0.5);
    const int row = picture.row_of(person.at.y + 0.5);
    if (row < 0 || row >= picture.height / 2) continue;
    screen.text(column, row, "@" + title_of(person), kInk, colour_of(person));
  }
}

}  // namespace sluice::client
