"""Shows that each check of tidy.py can fail, on trees made to break one rule each."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tidy  # noqa: E402


class Tree:
    """A folder with the given files; gone with the test."""

    def __init__(self, **files):
        self.files = files

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.folder.name)
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root

    def __exit__(self, *_):
        self.folder.cleanup()


def found(check, name, text):
    with Tree(**{name: text}) as root:
        return check(root)


class Properties(unittest.TestCase):
    def test_the_result_of_a_property_must_be_looked_at(self):
        for text, problems in [('  rc::check("a", [] {});\n', 1),
                               ('  EXPECT_TRUE(rc::check("a", [] {}));\n', 0)]:
            self.assertEqual(len(found(tidy.check_properties, "tests/a_test.cpp", text)), problems)


class Layers(unittest.TestCase):
    def test_a_layer_may_not_include_one_above(self):
        for name, header in [("server/sim/a.cpp", "server/record/recorder.h"),
                             ("server/record/a.h", "server/net/hub.h"),
                             ("server/net/a.cpp", "server/host/host.h"),
                             ("protocol/a.cpp", "server/sim/cell.h"),
                             ("client_stub/a.cpp", "server/sim/cell.h")]:
            self.assertEqual(1, len(found(tidy.check_layers, name, f'#include "{header}"\n')), name)

    def test_a_layer_may_include_those_below(self):
        for name, header in [("server/host/a.cpp", "server/net/hub.h"),
                             ("server/record/a.cpp", "server/sim/world.h"),
                             ("client_stub/a.cpp", "protocol/mirror.h")]:
            self.assertEqual([], found(tidy.check_layers, name, f'#include "{header}"\n'), name)


    def test_each_folder_of_code_is_a_layer(self):
        for name in ["server/new/a.cpp", "server/a.h"]:
            self.assertEqual(1, len(found(tidy.check_layers, name, "#include <vector>\n")), name)
        self.assertEqual([], found(tidy.check_layers, "tests/new/a.cpp", "#include <vector>\n"))

    def test_no_layer_may_include_tests_or_what_is_no_layer(self):
        for name, header in [("server/host/a.cpp", "tests/support/dice.h"),
                             ("client_stub/a.h", "tests/support/mirror.h"),
                             ("server/tools/a.cpp", "server/new/a.h")]:
            self.assertEqual(1, len(found(tidy.check_layers, name, f'#include "{header}"\n')), name)


class Places(unittest.TestCase):
    def test_code_stands_where_the_checks_look(self):
        for name in ["plugins/a.cpp", "plugins/deep/a.h", "a.cpp", "plugins/a.py", "plugins/a.hpp", "docker/a.cc"]:
            self.assertEqual(1, len(found(tidy.check_places, name, '#include "tests/support/dice.h"\n')), name)
        for name in ["server/net/a.cpp", "tests/net/a.h", "client_stub/web/a.ts", "cmake/sockets.cpp", "docker/a.sh",
                     "build/a.cpp", "client_stub/web/node_modules/a.c", ".cache/a.cpp"]:
            self.assertEqual([], found(tidy.check_places, name, "int a();\n"), name)

    def test_code_has_endings_that_the_checks_know(self):
        for ending in ["hpp", "hh", "hxx", "cc", "cxx", "c", "inl", "ipp", "inc", "cppm"]:
            for folder in ["server/sim", "tests/net", "protocol"]:
                name = f"{folder}/a.{ending}"
                self.assertEqual(1, len(found(tidy.check_places, name, "int a();\n")), name)


class IncludePaths(unittest.TestCase):
    def test_headers_are_named_from_the_root(self):
        for text in ['"../../tests/support/dice.h"', '"dice.h"', '"server/../tests/support/dice.h"', '"./a.h"',
                     '"/tests/a.h"', '"plugins/a.h"', '<../tests/a.h>', '<server/./sim/a.h>', "A_MACRO",
                     "A_MACRO(a)"]:
            for name in ["server/net/a.cpp", "tests/net/a.h"]:
                for word in ["#include ", "  #  include   ", "#include_next ", "#import "]:
                    self.assertEqual(1, len(found(tidy.check_include_paths, name, word + text + "\n")), word + text)
        self.assertEqual(1, len(found(tidy.check_include_paths, "server/net/a.cpp", '#include"dice.h"\n')))

    def test_and_others_as_they_are_installed(self):
        for text in ['"server/net/hub.h"', "<vector>", "<hwy/highway.h>", '"hwy/foreach_target.h"', "<sys/stat.h>",
                     '"client_message_generated.h"']:
            self.assertEqual([], found(tidy.check_include_paths, "server/net/a.cpp", f"#include {text}\n"), text)


class Map(unittest.TestCase):
    def problems(self, readme, **more):
        with Tree(**{"README.md": readme, "server/new/deep/a.cpp": "", "server/worlds/a.toml": "", **more}) as root:
            return tidy.check_map(root)

    def test_each_folder_with_code_has_a_row(self):
        for readme in ["", "server/new holds new things\n", "| server/newer | newer |\n", "| old/server/new | old |\n"]:
            self.assertEqual(1, len(self.problems(readme)), readme)
        for readme in ["| server/new | new |\n", "| [server/new](server/new/README.md) | new |\n",
                       "| programs | `server/new/deep` |\n"]:
            self.assertEqual([], self.problems(readme), readme)

    def test_or_one_in_the_readme_beside_it(self):
        for readme in ["| `new` | new |\n", "| `new/` | new |\n", "| [new](new/README.md) | new |\n"]:
            self.assertEqual([], self.problems("", **{"server/README.md": readme}), readme)
        for readme in ["`new` is new\n", "| something new | old |\n", "| `newer` | newer |\n"]:
            self.assertEqual(1, len(self.problems("", **{"server/README.md": readme})), readme)

    def test_below_each_of_the_folders(self):
        for name in ["protocol/a/a.cpp", "client_stub/a/src/a.ts", "tests/a/a.py"]:
            self.assertEqual(1, len(found(tidy.check_map, name, "")), name)
        self.assertEqual([], found(tidy.check_map, "protocol/a.cpp", ""))


class Picture(unittest.TestCase):
    FLOORS = ["server/tools", "server/host server/replay", "server/playback", "server/net client_stub",
              "server/record server/formats server/workers server/access", "server/sim protocol", "protocol/base"]

    def problems(self, floors):
        return found(tidy.check_picture, "README.md", "```text\n" + "\n".join(floors) + "\n```\n")

    def test_each_layer_stands_above_what_it_uses(self):
        self.assertEqual([], self.problems(self.FLOORS))
        self.assertLess(0, len(self.problems(self.FLOORS[::-1])))
        for layer in tidy.LAYERS:
            without = [" ".join(word for word in floor.split() if word != layer) for floor in self.FLOORS]
            self.assertEqual(1, len(self.problems(without)), layer)
            self.assertEqual(1, len(self.problems(self.FLOORS + [layer])), layer)
        side_by_side = self.FLOORS[:2] + ["server/playback server/net client_stub"] + self.FLOORS[4:]
        self.assertEqual(["README.md: server/playback does not stand above server/net, which it uses"],
                         self.problems(side_by_side))


class Simulation(unittest.TestCase):
    def test_it_includes_the_standard_library_and_itself(self):
        self.assertEqual([], found(tidy.check_sim_includes, "server/sim/a.cpp",
                                   '#include <vector>\n#include "server/sim/cell.h"\n'))
        for header in ["<hwy/highway.h>", "<thread>", "<unordered_map>", "<xxhash.h>", "<iostream>",
                       "<random>", '"a_file_beside.h"']:
            self.assertEqual(1, len(found(tidy.check_sim_includes, "server/sim/a.cpp",
                                          f"#include {header}\n")), header)

    def test_vector_kernels_may_include_highway_and_nothing_else(self):
        name = "server/sim/kernels_vector.cpp"
        self.assertEqual([], found(tidy.check_sim_includes, name, "#include <hwy/highway.h>\n"))
        self.assertEqual(1, len(found(tidy.check_sim_includes, name, "#include <zstd.h>\n")))

    def test_banned_names(self):
        for text in ["float x;", "double f();", "std::unordered_map<int, int> m;", "std::hash<int> h;",
                     "std::random_device r;", "std::chrono::seconds s;", "std::thread t;",
                     "std::mutex m;", "std::locale l;", "using namespace std::chrono;", "srand(1);",
                     "std::rand();", "thread_local int depth;"]:
            self.assertTrue(found(tidy.check_sim_words, "server/sim/a.h", text + "\n"), text)

    def test_comments_and_texts_may_name_them(self):
        self.assertEqual([], found(tidy.check_sim_words, "server/sim/a.h",
                                   '// no float here, nor a thread\nconst char* t = "double";\n'))

    def test_elsewhere_they_are_free(self):
        self.assertEqual([], found(tidy.check_sim_words, "server/net/a.h", "double seconds;\n"))


class Length(unittest.TestCase):
    def test_a_long_file(self):
        self.assertEqual([], found(tidy.check_length, "server/net/a.cpp", "\n" * tidy.MOST_LINES))
        self.assertEqual(1, len(found(tidy.check_length, "server/net/a.cpp",
                                      "\n" * (tidy.MOST_LINES + 1))))


class Functions(unittest.TestCase):
    LIMIT = tidy.MOST_LINES_OF_A_FUNCTION

    def problems(self, before, lines, after="}\n"):
        return len(found(tidy.check_functions, "server/net/a.cpp", before + "  go();\n" * lines + after))

    def test_a_long_function_of_any_kind(self):
        for before, after in [("void f() {\n", "}\n"), ("A::A(int a,\n     int b)\n    : a_(a), b_{b} {\n", "}\n"),
                              ("class A {\n public:\n  int f() const {\n", "  }\n};\n"),
                              ("TEST(A, B) {\n", "}\n"), ("const auto f = [&](int a) {\n", "};\n"),
                              ("#define X {\nint g(const char* s = \"{\") noexcept {\n", "}\n")]:
            self.assertEqual(0, self.problems(before, self.LIMIT, after), before)
            self.assertEqual(1, self.problems(before, self.LIMIT + 1, after), before)

    def test_what_is_no_function_may_be_longer(self):
        for before, after in [("namespace a {\n", "}\n"), ("struct A {\n", "};\n"),
                              ("const int kTable[] = {\n", "};\n")]:
            self.assertEqual(0, self.problems(before, self.LIMIT + 1, after), before)


class Format(unittest.TestCase):
    def test_what_clang_format_would_change_is_found_once_a_file(self):
        style = {".clang-format": "BasedOnStyle: Google\n"}
        with Tree(**style, **{"server/net/a.h": "int  a;\nint  b;\n", "server/net/b.h": "int c;\n"}) as root:
            problems = tidy.check_format(root)
        self.assertEqual(1, len(problems), problems)
        self.assertIn("server/net/a.h:1:", problems[0])


class FloatingPoint(unittest.TestCase):
    def instructions(self, code, *flags):
        with Tree(**{"a.cpp": code}) as root:
            subprocess.run(["c++", "-O2", *flags, "-c", str(root / "a.cpp"), "-o", str(root / "a.o")],
                           check=True)
            return tidy.floating_point_instructions(root / "a.o")

    def test_arithmetic_is_found(self):
        self.assertTrue(self.instructions("float f(float a, float b) { return a * b; }"))
        self.assertTrue(self.instructions("long f(double a) { return static_cast<long>(a); }"))
        self.assertTrue(self.instructions("bool f(double a, double b) { return a < b; }"))
        self.assertTrue(self.instructions("double f(long a) { return static_cast<double>(a); }"))
        self.assertTrue(self.instructions("long double f(long double a) { return a + a; }"))

    def test_integers_are_not(self):
        code = "void f(int* a, int* b) { for (int i = 0; i < 64; ++i) a[i] = a[i] * 3 + b[i]; }"
        self.assertEqual([], self.instructions(code, "-O3"))


if __name__ == "__main__":
    unittest.main()
