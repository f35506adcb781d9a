"""The check of members finds what escapes a reader of text."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import state_members
from sim_units import units_of

WORLD = """
template <class T> struct List { T* first; };
namespace sluice::sim {
struct WaterModelState { virtual ~WaterModelState(); };
struct Spring {
  int rate = 0;
  SPRING
  template <class Self, class Visitor> static void visit_state(Self& self, Visitor& v) { v.field("rate", self.rate); }
};
class Network { struct Node { int amount; NODE }; List<Node> nodes_; NETWORK };
class Waves;
class World {
  List<Spring> springs_;
  Network* pipes_;
  Waves* waves_;
  // Derived: not part of the digest.
  int sum_ = 0;
  WORLD
};
}
"""
WAVES = """
#pragma once
namespace sluice::sim { class Waves { int columns_; WAVES }; }
"""
ENGINE = """
namespace sluice::sim { namespace { class Engine final : public WaterModelState { int seen_ = 0; ENGINE }; } }
"""
TABLE = """# The members.
state List first
state World springs_ pipes_ waves_
derived World sum_
derived Waves columns_
state Network nodes_
state Network::Node amount
derived Engine seen_
"""


def found(table=TABLE, files={}, **added):
    """The problems of a simulation with these members more, and with these files more or instead."""
    world, engine, waves = WORLD, ENGINE, WAVES
    for place in ("SPRING", "NODE", "NETWORK", "WORLD"):
        world = world.replace(f"  {place}\n", f"  {added.get(place, '')}\n").replace(f" {place} ", f" {added.get(place, '')} ")
    engine = engine.replace(" ENGINE ", f" {added.get('ENGINE', '')} ")
    waves = waves.replace(" WAVES ", f" {added.get('WAVES', '')} ")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        engine = '#include "server/sim/world.h"\n' + engine
        written = {"world.h": "#pragma once\n" + world, "waves/field.h": waves, "models/still/still.cpp": engine}
        written.update(files)
        for name, text in written.items():
            path = root / "server/sim" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return state_members.problems_of(list(units_of(root)), root, table)


class Members(unittest.TestCase):
    def test_what_is_declared_is_right(self):
        self.assertEqual([], found())

    def test_a_member_is_found_wherever_it_stands(self):
        for place in ("SPRING", "NODE", "NETWORK", "WORLD", "ENGINE", "WAVES"):
            lines = found(**{place: "int wind_ = 0;"})
            self.assertEqual(1, len(lines), (place, lines))
            self.assertIn("::wind_ is not declared", lines[0])

    def test_a_member_is_found_however_it_is_written(self):
        for text, count in [("int a_, b_;", 2), ("int row_[4];", 1), ("int (*look_)(int) = nullptr;", 1),
                            ("alignas(8) mutable unsigned long x_{};", 1), ("List<List<int>> deep_;", 1),
                            ("union { int as_a_; long as_b_; };", 2), ("struct { int inner_; };", 1),
                            ("union Word { int a; } word_;", 2), ("List<int>& beside_; List<int>&& gone_;", 2),
                            ("static const int kMost = 3; static constexpr int kLeast = 1;", 0),
                            ("using Way = int; int sum() const;", 0)]:
            self.assertEqual(count, len(found(WORLD=text)), text)

    def test_a_static_member_is_no_worlds(self):
        for place in ("SPRING", "NODE", "WORLD", "ENGINE", "WAVES"):
            for text in ("inline static int kept = 0;", "static int kept;", "static inline const int* kept = nullptr;"):
                lines = found(**{place: text})
                self.assertEqual(1, len(lines), (place, text, lines))
                self.assertIn("::kept is static", lines[0])

    def test_a_member_of_a_template_of_ours_is_found(self):
        lines = found(table=TABLE + "derived World pair_\n",
                      WORLD="template <class T> struct Pair { T first; int more; }; Pair<int>* pair_;")
        self.assertEqual(2, len(lines), lines)

    def test_what_is_only_declared_is_an_error(self):
        lines = found(table=TABLE + "derived World hidden_\n", WORLD="class Hidden; Hidden* hidden_;")
        self.assertEqual(1, len(lines), lines)
        self.assertIn("World::Hidden is defined nowhere", lines[0])

    def test_a_definition_is_found_in_whatever_file_it_stands(self):
        hidden = '#include "server/sim/world.h"\nnamespace sluice::sim { class World::Hidden { int wind_; }; }\n'
        lines = found(table=TABLE + "derived World hidden_\n", WORLD="class Hidden; Hidden* hidden_;",
                      files={"hidden.cpp": hidden})
        self.assertEqual(1, len(lines), lines)
        self.assertIn("World::Hidden::wind_", lines[0])

    def test_an_engine_is_found_wherever_it_stands_and_however_it_names_its_base(self):
        for name in ("models/new/new.h", "models/new/new.cpp", "new.cpp"):
            for head in ("struct New : WaterModelState {", "class New : private sim::WaterModelState { public:",
                         "class New final\n    : public\n      WaterModelState {",
                         "using Base = WaterModelState; class New : public Base {",
                         "struct Between : WaterModelState {}; class New : public Between {"):
                text = '#include "server/sim/world.h"\nnamespace sluice::sim { ' + head + " int wind_; }; }\n"
                lines = found(files={name: text})
                self.assertEqual(1, len(lines), (name, head, lines))
                self.assertIn("New::wind_", lines[0])

    def test_a_state_of_a_model_is_found_behind_its_face(self):
        text = '#include "server/sim/world.h"\nnamespace sluice::sim { struct KeptState {};\n' \
               "template <class T> struct Keeps final : KeptState { T wind_; }; }\n"
        lines = found(files={"models/new/new.cpp": text})
        self.assertEqual(1, len(lines), lines)
        self.assertIn("Keeps::wind_", lines[0])

    def test_a_simulation_without_an_engine_is_an_error(self):
        with self.assertRaises(SystemExit):
            found(files={"models/still/still.cpp": ""})

    def test_two_files_of_a_folder_may_use_one_name_each_for_itself(self):
        one = "namespace { struct Mine { int a; }; }\n"
        self.assertEqual([], found(files={"one.cpp": one, "two.cpp": one}))

    def test_what_does_not_compile_is_an_error(self):
        with self.assertRaises(SystemExit):
            found(files={"one.cpp": "int a = ;\n"})

    def test_what_a_member_is_made_of_is_looked_into(self):
        lines = found(table=TABLE + "derived World more_\n", WORLD="struct More { int wind; }; List<More*> more_;")
        self.assertEqual(1, len(lines), lines)
        self.assertIn("World::More::wind", lines[0])

    def test_a_base_is_looked_into(self):
        lines = found(table=TABLE + "derived World more_\n",
                      WORLD="struct Base { int wind; }; struct More : Base {}; More more_;")
        self.assertEqual(1, len(lines), lines)
        self.assertIn("World::Base::wind", lines[0])

    def test_a_line_of_what_is_gone_is_an_error(self):
        lines = found(table=TABLE + "derived World wind_\n")
        self.assertEqual(["the table has World::wind_, which is no such member"], lines)

    def test_a_line_of_another_kind_is_an_error(self):
        with self.assertRaises(SystemExit):
            found(table="perhaps World sum_\n")


if __name__ == "__main__":
    unittest.main()
