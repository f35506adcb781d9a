"""Shows that the matrix notices: a digest that differs, a stream that ends early, a build that fails."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import matrix  # noqa: E402


def program(folder, text):
    path = pathlib.Path(folder) / "digests"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


class Matrix(unittest.TestCase):
    def run_with(self, text, digests="1 aa\n2 bb\n"):
        with tempfile.TemporaryDirectory() as folder:
            build = matrix.Build("test", "none", [])
            return matrix.run_scene(build, program(folder, text), pathlib.Path(folder), "w.toml",
                                    "-", digests, 2, [("1", "-")])

    def test_equal_streams(self):
        self.assertEqual("same", self.run_with("printf '1 aa\\n2 bb\\n'"))

    def test_another_digest_names_its_tick(self):
        self.assertIn("differs at tick 2", self.run_with("printf '1 aa\\n2 bc\\n'"))

    def test_a_stream_that_ends_early(self):
        self.assertIn("differs at length", self.run_with("printf '1 aa\\n'"))

    def test_a_program_that_fails(self):
        self.assertIn("failed: broken", self.run_with("echo broken >&2; exit 3"))

    def test_a_compiler_that_is_not_there(self):
        built, why = matrix.compile_build(matrix.Build("x", "no-such-g++", []), pathlib.Path("."),
                                          pathlib.Path("."), pathlib.Path("."))
        self.assertIsNone(built)
        self.assertIn("no-such-g++ is not here", why)

    def test_a_folder_has_one_run_at_a_time(self):
        with tempfile.TemporaryDirectory() as folder:
            first = matrix.take_alone(pathlib.Path(folder))
            self.assertIsNotNone(first)
            self.assertIsNone(matrix.take_alone(pathlib.Path(folder)))
            first.close()
            second = matrix.take_alone(pathlib.Path(folder))
            self.assertIsNotNone(second)
            second.close()

    def test_what_is_built_is_one_program(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        for portable in (False, True):
            programs = [path.name for path in matrix.sources(root, portable)
                        if "int main(" in path.read_text()]
            self.assertEqual(["digests.cpp"], programs)


if __name__ == "__main__":
    unittest.main()
