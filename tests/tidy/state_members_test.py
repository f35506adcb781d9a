"""The check of members finds what escapes a reader of text."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import state_members

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
class World {
  List<Spring> springs_;
  Network* pipes_;
  // Derived: not part of the digest.
  int sum_ = 0;
  WORLD
};
}
"""
ENGINE = """
namespace sluice::sim { namespace { class Engine final : public WaterModelState { int seen_ = 0; ENGINE }; } }
"""
TABLE = """# The members.
state World springs_ pipes_
derived World sum_
state Network nodes_
state Network::Node amount
derived Engine seen_
"""


def found(table=TABLE, **added):
    """The problems of a simulation with these members more."""
    world, engine = WORLD, ENGINE
    for place in ("SPRING", "NODE", "NETWORK", "WORLD"):
        world = world.replace(f"  {place}\n", f"  {added.get(place, '')}\n").replace(f" {place} ", f" {added.get(place, '')} ")
    engine = engine.replace(" ENGINE ", f" {added.get('ENGINE', '')} ")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in [("world.h", world), ("models/still/still.cpp", engine)]:
            path = root / "server/sim" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (root / "table.txt").write_text(table)
        sys.argv = ["state_members.py", folder, str(root / "table.txt")]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = state_members.main()
        lines = printed.getvalue().splitlines()
        assert code == (1 if lines else 0)
        return lines


class Members(unittest.TestCase):
    def test_what_is_declared_is_right(self):
        self.assertEqual([], found())

    def test_a_member_is_found_wherever_it_stands(self):
        for place in ("SPRING", "NODE", "NETWORK", "WORLD", "ENGINE"):
            lines = found(**{place: "int wind_ = 0;"})
            self.assertEqual(1, len(lines), (place, lines))
            self.assertIn("::wind_ is not declared", lines[0])

    def test_a_member_is_found_however_it_is_written(self):
        for text, count in [("int a_, b_;", 2), ("int row_[4];", 1), ("int (*look_)(int) = nullptr;", 1),
                            ("alignas(8) mutable unsigned long x_{};", 1), ("List<List<int>> deep_;", 1),
                            ("static int kept; using Way = int; int sum() const;", 0)]:
            self.assertEqual(count, len(found(WORLD=text)), text)

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
