"""What a world keeps is known, and nothing else is kept: state_members.py and kept_variables.py on the simulation.

Usage: read_simulation.py ROOT   prints what breaks these rules, and fails if anything does.

Both look at what is read once: the compiler's part takes most of the time.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
import kept_variables
import state_members
from sim_units import units_of


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = pathlib.Path(__file__).with_name("state_members.txt").read_text()
    units = list(units_of(root))
    problems = state_members.problems_of(units, root, table) + kept_variables.problems_of(units, root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
