"""The check of variables finds each that is kept outside a world, and no other."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import kept_variables
from sim_units import units_of

BEFORE = """
struct Cell { int level; };
struct Cache { explicit Cache(int size); Cell* cells; };
"""


def found(text, *names):
    """In files of these names, each with that text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name in names or ["server/sim/a.cpp"]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(BEFORE + text + "\n")
        return kept_variables.problems_of(units_of(root), root)


class Kept(unittest.TestCase):
    def test_a_variable_of_a_file_or_a_namespace(self):
        for text in ["int count = 0;", "static int calls;", "Cell cells[4] = {};", "inline int depth;",
                     "static Cache cache(64);", "Cache cache(64);", "Cache cache{64};", "unsigned int n;",
                     "constinit int n = 0;", "constinit static int n = 0;", "namespace a { int n; }",
                     "namespace { namespace b { static inline Cell last{}; } }", "extern int n;",
                     'extern "C" { int n; }', 'extern "C" int n;', "static\n  int\n  calls\n  = 0;",
                     "Cache\n    cache(\n        64);", "thread_local int depth;", "auto look = [] { return 1; };",
                     "int (*look)(int) = nullptr;", "template <class T> T kept = 0;", "volatile int n;",
                     "struct Named { int a; } named;", "struct { int a; } unnamed;", "const char* name = nullptr;",
                     "int* const place = new int;", "int& beside = *new int;", "constexpr static int* n = nullptr;",
                     "[[maybe_unused]] alignas(8) int n = 0;"]:
            self.assertEqual(1, len(found(text)), text)
        self.assertEqual(2, len(found("int a, b;")))
        self.assertEqual(2, len(found("static int a = 0, *b = nullptr;")))

    def test_a_variable_of_a_function(self):
        for text in ["static Cache cache(64);", "static int calls = 0;", "constinit static int n = 0;",
                     "static\n    int calls;", "static auto look = [] { return 1; };", "extern int n;",
                     "if (true) { static int calls; }", "auto f = [] { static int calls; return ++calls; };",
                     "struct Local { static void g() { static int calls; } };", "thread_local int depth;"]:
            self.assertEqual(1, len(found("void f() {\n" + text + "\n}")), text)
            self.assertEqual(1, len(found("template <class T> void f(T) {\n" + text + "\n}")), text)
            self.assertEqual(1, len(found("struct A { void f() {\n" + text + "\n} };")), text)

    def test_a_variable_of_a_class(self):
        for text in ["static int kept;", "inline static int kept = 0;", "static inline Cache kept{64};"]:
            self.assertEqual(1, len(found("class A { " + text + " };")), text)
            self.assertEqual(1, len(found("template <class T> class A { struct B { " + text + " }; };")), text)

    def test_in_each_file_of_the_simulation(self):
        for name in ["server/sim/a.h", "server/sim/models/a.cpp", "protocol/base/a.h", "protocol/base/a.cpp"]:
            self.assertEqual(1, len(found("#pragma once\ninline int depth;", name)), name)
        self.assertEqual([], found("int count;", "server/net/a.cpp"))

    def test_in_files_that_cannot_be_read_together(self):
        for names in [("server/sim/a.cpp", "server/sim/b.cpp"), ("server/sim/a.cpp", "server/sim/heat/a.cpp"),
                      ("server/sim/a.cpp", "server/sim/heat/a.cpp", "server/sim/heat/b.cpp"),
                      ("server/sim/models/block/a.cpp", "server/sim/models/hydro/a.cpp", "server/sim/pipes/a.cpp")]:
            problems = found("static int count = 0;", *names)
            self.assertEqual(sorted(names), sorted(problem.split(":")[0] for problem in problems))

    def test_constants_functions_and_members_are_no_such_thing(self):
        for text in ["static constexpr int kMost = 3;", "constexpr int kMost = 3;", "const Cache kAll(3);",
                     "inline constexpr Cell kCells[] = {{1}};", 'const char* const kName = "a";',
                     'constexpr const char* kNames[] = {"a"};', "int (*const kLook)(int) = nullptr;",
                     "const int& kBeside = 3;", "template <class T> constexpr T kMost = 3;",
                     "class A { int a, b; static const int kMost = 3; static int f(int a); };",
                     "int sum(int a, int b);", "void f(int a) { int b = a; Cache c(b); for (int i = 0; i < b; ++i) {} }",
                     "void f() { static const Cell kCell = {1}; static constexpr int kMost = 3; }",
                     "static_assert(true);", "using Way = int; struct Later; enum Kind { kA };"]:
            self.assertEqual([], found(text), text)


if __name__ == "__main__":
    unittest.main()
