#include "tests/hunt/refusals.h"

#include <array>
#include <set>

#include "server/sim/commands/commands.h"

namespace sluice::hunt {

namespace {

// Those of the host, which do not depend on the command, are the most frequent ones. Then the more
// special ones first.
constexpr std::array kRefusals = {
    Refusal{"not allowed: ", "not allowed there", kAnyCommand},
    Refusal{"too much at once: ", "too much at once", kAnyCommand},
    Refusal{"the recording failed", "the recording failed", kAnyCommand},
    Refusal{"holds no cell", "a box without cells", "set_cells remove_water"},
    Refusal{"leaves the world of size", "a box beyond the world", "set_cells remove_water"},
    Refusal{
        "lies outside the world of size", "a place beyond the world",
        "pour add_source add_drain fill_level evaporate_level trap_air splash explode move_body "
        "add_heater add_pipe add_pump add_valve"},
    Refusal{"takes no broken ones", "broken parts of units",
            "set_cells pour fill_level evaporate_level"},
    Refusal{"the world has taken in", "all that the world takes in",
            "set_cells pour fill_level add_pipe add_pump add_valve"},
    Refusal{"chunks of 4096 cells hold something", "all chunks that the world holds",
            "set_cells pour fill_level"},
    Refusal{"over its whole life, and has room for", "all of a tracer that the world takes", ""},
    Refusal{" is trapped air", "trapped air", "pour"},
    Refusal{" is ice", "ice", "pour"},
    Refusal{" is rock", "rock", "pour fill_level trap_air"},
    Refusal{"is neither rock (-1)", "no cell that can be", "set_cells"},
    Refusal{"a cell of this world holds", "more than a cell holds", "set_cells"},
    Refusal{"a column 'above' its cell: not both", "a box and a column", "pour"},
    Refusal{"'size' is of a pour with 'at_rest'", "a box for what moves", "pour"},
    Refusal{"than one pour lays at rest", "too large a box", ""},
    Refusal{"units only", "more than there is room for", "pour"},
    Refusal{
        "is out of range; allowed:", "a number out of range",
        "pour add_source add_drain fill_level evaporate_level trap_air splash explode move_body "
        "set_wind set_air add_heater add_pipe add_pump add_valve upgrade_pipe set_pump "
        "add_port"},
    Refusal{"a world holds at most", "all pipes that the world holds",
            "add_pipe add_pump add_valve"},
    Refusal{" already; remove it first", "a place that has one", "add_source add_drain add_heater"},
    Refusal{" is below zero", "a head below zero", "add_source"},
    Refusal{"this world has no waves", "no waves", "splash explode move_body set_wind"},
    Refusal{"there is no free surface", "no surface", "splash explode move_body"},
    Refusal{"lies farther from it than its radius", "too far from a surface", "explode"},
    Refusal{"this world has no heat", "no heat",
            "pour add_source set_air add_heater remove_heater"},
    Refusal{"this world has no tracers", "no tracers", "pour add_source"},
    Refusal{" is no tracer of this world", "no such tracer", "pour add_source"},
    Refusal{" cannot be linked to itself", "a pipe with itself", "link"},
    Refusal{" are linked already", "linked already", "link"},
    Refusal{"different fluids never mix", "two fluids", "link"},
    Refusal{" are not linked", "not linked", "unlink"},
    Refusal{" letters, digits and _ - . : / # @ +", "no name", "add_pipe add_pump add_valve"},
    Refusal{" does not fit a capacity of ", "more than it holds", "add_pipe add_pump add_valve"},
    Refusal{"there is no pipe, pump or valve ", "no such pipe",
            "remove_pipe upgrade_pipe link unlink set_valve set_pump add_port "
            "remove_port"},
    Refusal{"there is a pipe, pump or valve '", "a name that one has",
            "add_pipe add_pump add_valve"},
    Refusal{" units, which a capacity of ", "less than it holds", "upgrade_pipe"},
    Refusal{" is no valve", "no valve", "set_valve"},
    Refusal{" is no pump", "no pump", "set_pump"},
    Refusal{"a port needs a cell", "a port without a cell", "add_port"},
    Refusal{"' has a port at ", "a port that there is", "add_port"},
    Refusal{", but the grid holds water", "a fluid that is not water", "add_port"},
    Refusal{"' has no port at ", "no such port", "remove_port"},
    Refusal{"the region has more than ", "too large a region", ""},
    Refusal{"there is no water at ", "no water", "evaporate_level"},
    Refusal{"its pocket reaches an open edge", "a pocket that leaks", "trap_air"},
    Refusal{"there is air below the level at ", "air below a pocket", "trap_air"},
    Refusal{" lies below the level", "a place below its level", "trap_air"},
    Refusal{"there is no source at ", "no such source", "remove_source"},
    Refusal{"there is no drain at ", "no such drain", "remove_drain"},
    Refusal{"there is no heater at ", "no such heater", "remove_heater"},
};

const char* kept_for_ever(std::string text) {
  static std::set<std::string> all;
  return all.insert(std::move(text)).first->c_str();
}

}  // namespace

const Refusal* refusal_of(std::string_view reason) {
  for (const Refusal& refusal : kRefusals) {
    if (reason.find(refusal.says) != std::string_view::npos) return &refusal;
  }
  return nullptr;
}

const char* refused_as(std::string_view command, const Refusal& refusal) {
  return kept_for_ever("refused: " + std::string(command) + ": " + refusal.name);
}

const char* applied_as(std::string_view command) {
  return kept_for_ever("command: " + std::string(command));
}

std::vector<std::string> outcomes_that_must_be() {
  std::vector<std::string> all;
  for (const std::string_view name : sim::command_names()) all.emplace_back(applied_as(name));
  for (const Refusal& refusal : kRefusals) {
    std::string_view left = refusal.commands;
    while (!left.empty()) {
      const std::string_view command = left.substr(0, left.find(' '));
      left.remove_prefix(std::min(left.size(), command.size() + 1));
      all.emplace_back(refused_as(command, refusal));
    }
  }
  // What is told to those who come back.
  for (const char* fate : {"a command outlived its connection", "sends again what never came",
                           "is told again what became of a command"}) {
    all.emplace_back(fate);
  }
  return all;
}

}  // namespace sluice::hunt
