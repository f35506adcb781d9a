"""Every member of what a world keeps from tick to tick is state or derived, and says which.

Usage: state_members.py ROOT [TABLE]   reads ROOT's simulation as the compiler does (libclang), so that no member
escapes, wherever and however it is declared. A struct with visit_state must name each of its members there.
Of all others that World and the engines of the water models are made of each member must stand in TABLE, which
says whether it is state (in digests, snapshots and comparisons) or derived (computed from state, and rebuilt).
A member that is in neither is an error, and so is a line of TABLE that is no member any more.
"""

import pathlib
import sys

from clang import cindex

KIND = cindex.CursorKind
RECORDS = (KIND.STRUCT_DECL, KIND.CLASS_DECL, KIND.CLASS_TEMPLATE)
ROOTS = ("World",)
ENGINE = "WaterModelState"


def parse(root, name, text):
    index = cindex.Index.create()
    unit = index.parse(str(root / name), args=["-std=c++20", "-DSLUICE_CHECKED", f"-I{root}"], unsaved_files=[(str(root / name), text)])
    errors = [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]
    if errors:
        raise SystemExit("\n".join(errors))
    return unit


def path_of(cursor):
    """A record's name within the simulation: "PipeGraph::Sum", "hydro::Link"."""
    parts = []
    while cursor is not None and cursor.kind in (*RECORDS, KIND.NAMESPACE):
        if cursor.spelling and not (cursor.kind == KIND.NAMESPACE and cursor.spelling in ("sluice", "sim")):
            parts.append(cursor.spelling)
        cursor = cursor.semantic_parent
    return "::".join(reversed(parts))


def is_ours(cursor, root):
    if cursor.location.file is None:
        return False
    path = pathlib.Path(cursor.location.file.name)
    return path.is_relative_to(root / "server/sim") or path.is_relative_to(root / "protocol/base")


def definitions(cursor, root):
    """All records of the simulation, those within others too."""
    for child in cursor.get_children():
        if child.kind == KIND.NAMESPACE:
            yield from definitions(child, root)
        elif child.kind in RECORDS and child.is_definition() and is_ours(child, root):
            yield child
            yield from definitions(child, root)


def records_in(a_type):
    """The records that a member's type is made of: itself, what it points to, what a container holds."""
    a_type = a_type.get_canonical()
    while a_type.kind in (cindex.TypeKind.POINTER, cindex.TypeKind.LVALUEREFERENCE, cindex.TypeKind.CONSTANTARRAY):
        a_type = a_type.get_pointee() if a_type.kind != cindex.TypeKind.CONSTANTARRAY else a_type.element_type
        a_type = a_type.get_canonical()
    declaration = a_type.get_declaration()
    if declaration.kind in RECORDS:
        yield declaration.get_definition() or declaration
    for n in range(max(0, a_type.get_num_template_arguments())):
        yield from records_in(a_type.get_template_argument_type(n))


def bases_of(record):
    return [child for child in record.get_children() if child.kind == KIND.CXX_BASE_SPECIFIER]


def members_of(record):
    return [child for child in record.get_children() if child.kind == KIND.FIELD_DECL]


def visited_by(record):
    """The members that visit_state names; None where there is no such function."""
    for child in record.get_children():
        if child.spelling == "visit_state":
            words = [token.spelling for token in child.get_tokens()]
            return {after for self, dot, after in zip(words, words[1:], words[2:]) if (self, dot) == ("self", ".")}
    return None


def reached(unit, root, found):
    """Adds to `found`, by name, the records that World and the engines of `unit` are made of, and all that have a
    visit_state."""
    def is_root(record):
        return (record.spelling in ROOTS or any(ENGINE in base.type.spelling for base in bases_of(record))
                or visited_by(record) is not None)
    waiting = [record for record in definitions(unit.cursor, root) if is_root(record)]
    while waiting:
        record = waiting.pop()
        name = path_of(record)
        if name in found or not is_ours(record, root):
            continue
        found[name] = record
        for part in members_of(record) + bases_of(record):
            waiting += records_in(part.type)
    return found


def table_of(text):
    """{(record, member): "state" or "derived"}"""
    table = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        kind, record, *members = line.split()
        if kind not in ("state", "derived"):
            raise SystemExit(f"the table's line '{line}' begins with neither 'state' nor 'derived'")
        table.update({(record, member): kind for member in members})
    return table


def problems_of(found, table):
    problems = []
    left = dict(table)
    for name, record in sorted(found.items()):
        visited = visited_by(record)
        for member in members_of(record):
            known = member.spelling in visited if visited is not None else left.pop((name, member.spelling), None)
            if not known:
                where = "in its visit_state" if visited is not None else "as state or derived in the table of members"
                problems.append(f"{pathlib.Path(member.location.file.name).name}:{member.location.line}: "
                                f"{name}::{member.spelling} is not declared {where}")
    problems += [f"the table has {name}::{member}, which is no such member" for name, member in left]
    return problems


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).with_name("state_members.txt")
    engines = [path for path in (root / "server/sim/models").rglob("*.cpp") if f"public {ENGINE}" in path.read_text()]
    if not engines:
        raise SystemExit("no model has an engine")
    found = {}
    for path in engines:
        name = path.relative_to(root)
        reached(parse(root, "members.cpp", f'#include "server/sim/world.h"\n#include "{name}"\n'), root, found)
    problems = problems_of(found, table_of(table.read_text()))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
