#include "tests/hunt/coverage.h"

#include "tests/hunt/refusals.h"
#include "tests/hunt/sometimes.h"

namespace sluice::hunt {

namespace {

std::vector<std::string> all_that_must_be() {
  std::vector<std::string> all = outcomes_that_must_be();
  for (const char* place : marked_places()) all.push_back(place_named(place));
  return all;
}

}  // namespace

std::string place_named(const std::string& place) {
  return "sometimes: " + place;
}

std::map<std::string, std::uint64_t> take_reached_places() {
  static std::map<std::string, std::uint64_t> before;
  std::map<std::string, std::uint64_t> fresh;
  for (const auto& [place, count] : reached_places()) {
    std::uint64_t& known = before[place];
    if (count > known) fresh[place_named(place)] = count - known;
    known = count;
  }
  return fresh;
}

void Coverage::add(const std::map<std::string, std::uint64_t>& met) {
  for (const auto& [name, count] : met) counts[name] += count;
}

std::vector<std::string> Coverage::missed() const {
  std::vector<std::string> all = all_that_must_be();
  std::erase_if(all, [this](const std::string& what) { return counts.contains(what); });
  return all;
}

std::string Coverage::progress(double seconds_taken) const {
  const std::size_t wanted = all_that_must_be().size();
  return std::to_string(runs) + " runs, " + std::to_string(ticks) + " ticks, " +
         std::to_string(failures) + " failures, " +
         std::to_string(static_cast<std::uint64_t>(seconds_taken)) + " s; met " +
         std::to_string(counts.size()) + " kinds of events, and " +
         std::to_string(wanted - missed().size()) + " of " + std::to_string(wanted) +
         " places, commands and refusals\n";
}

std::string Coverage::summary(double seconds_taken) const {
  const auto a_minute =
      static_cast<std::uint64_t>(static_cast<double>(runs) * 60 / std::max(seconds_taken, 1.0));
  std::string text = std::to_string(runs) + " runs, " + std::to_string(ticks) + " ticks, " +
                     std::to_string(failures) + " failures, " + std::to_string(a_minute) +
                     " runs a minute\n";
  for (const auto& [name, count] : counts) {
    text += "  " + std::to_string(count) + "  " + name + "\n";
  }
  for (const std::string& what : missed()) text += "  not met: " + what + "\n";
  if (in_vain()) {
    text += "HUNTED IN VAIN: " + std::to_string(runs) + " runs did not meet all that they must\n";
  } else if (!missed().empty()) {
    text +=
        "too few runs to tell whether all that must be met is: " + std::to_string(enough) + " do\n";
  }
  return text;
}

}  // namespace sluice::hunt
