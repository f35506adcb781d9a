#!/usr/bin/env python3
"""What ships has nothing of the hunter in it: no mark of a rare place, no planted bug, none of its code.

Usage: ships_test.py ROOT HUNT PROGRAM...   HUNT is the hunter, in which all of it is to be found.
"""
import pathlib
import re
import sys


def traces(root):
    """What the hunter's code, and sources built for it, leave in a program."""
    marks = set()
    for path in (root / "server").rglob("*.cpp"):
        marks.update(re.findall(r'SLUICE_SOMETIMES\("([^"]*)"\)', path.read_text()))
    assert len(marks) > 20, marks
    return sorted(marks) + ["6sluice4hunt"]


def main():
    root, hunter, *programs = map(pathlib.Path, sys.argv[1:])
    wanted = [(trace, trace.encode()) for trace in traces(root)]
    held = hunter.read_bytes()
    missing = [trace for trace, text in wanted if text not in held]
    assert not missing, f"{hunter.name} does not have {missing}: this test would find nothing"
    for program in programs:
        content = program.read_bytes()
        found = [trace for trace, text in wanted if text in content]
        assert not found, f"{program.name} has {found}"
    print(f"{len(programs)} programs have none of {len(wanted)} traces")


if __name__ == "__main__":
    main()
