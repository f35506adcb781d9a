"""Every member of what a world keeps from tick to tick is state or derived, and says which (read_simulation.py).

The simulation is read as the compiler does (libclang), so that no member escapes, wherever and however it is
declared. A struct with visit_state must name each of its members there. Of all others that World, the engines of the
water models and their states are made of each member must stand in the table of members, which says whether it is
state (in digests, snapshots and comparisons) or derived (computed from state, and rebuilt). A member that is in
neither is an error, and so is a line of the table that is no member any more, a member that is static, and a record
that is declared and nowhere defined, since nobody can say what it is made of.
"""

import pathlib
import sys

from clang import cindex

sys.dont_write_bytecode = True
from sim_units import KIND, TYPE, may_change

RECORDS = (KIND.STRUCT_DECL, KIND.CLASS_DECL, KIND.CLASS_TEMPLATE, KIND.UNION_DECL)
ROOTS = ("World",)
ENGINE = "sluice::sim::WaterModelState"
STATE = "sluice::sim::KeptState"


def path_of(cursor):
    """A record's name within the simulation: "PipeGraph::Sum", "hydro::Link"."""
    parts = []
    while cursor is not None and cursor.kind in (*RECORDS, KIND.NAMESPACE):
        if cursor.spelling and not (cursor.kind == KIND.NAMESPACE and cursor.spelling in ("sluice", "sim")):
            parts.append(cursor.spelling)
        cursor = cursor.semantic_parent
    return "::".join(reversed(parts))


def place_of(cursor):
    return f"{pathlib.Path(cursor.location.file.name).name}:{cursor.location.line}"


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


def all_definitions(units, root):
    """{what names it in every unit: record}"""
    found = {}
    for unit, _ in units:
        for record in definitions(unit.cursor, root):
            found.setdefault(record.get_usr(), record)
    return found


def records_in(a_type):
    """The records that a member's type is made of: itself, what it points to, what a container holds."""
    a_type = a_type.get_canonical()
    while a_type.kind in (TYPE.POINTER, TYPE.LVALUEREFERENCE, TYPE.RVALUEREFERENCE, TYPE.CONSTANTARRAY):
        a_type = a_type.get_pointee() if a_type.kind != TYPE.CONSTANTARRAY else a_type.element_type
        a_type = a_type.get_canonical()
    declaration = a_type.get_declaration()
    if declaration.kind in RECORDS:
        # What a template of ours is made of stands in the template.
        template = cindex.conf.lib.clang_getSpecializedCursorTemplate(declaration)
        yield template or declaration
    for n in range(max(0, a_type.get_num_template_arguments())):
        yield from records_in(a_type.get_template_argument_type(n))


def bases_of(record):
    return [child for child in record.get_children() if child.kind == KIND.CXX_BASE_SPECIFIER]


def members_of(record):
    """Its members, and those of structs and unions without a name in it, which are its own."""
    members = []
    for child in record.get_children():
        if child.kind in (KIND.FIELD_DECL, KIND.VAR_DECL):
            members.append(child)
        elif child.kind in RECORDS and child.is_anonymous():
            members += members_of(child)
    return members


def derives_from(base_name, record, all_records):
    """Whether it does, also by way of a base of its own or another name for it."""
    for base in bases_of(record):
        a_type = base.type.get_canonical()
        if a_type.spelling == base_name:
            return True
        declaration = a_type.get_declaration()
        parent = all_records.get(declaration.get_usr())
        if parent is not None and derives_from(base_name, parent, all_records):
            return True
    return False


def visited_by(record):
    """The members that visit_state names; None where there is no such function."""
    for child in record.get_children():
        if child.spelling == "visit_state":
            words = [token.spelling for token in child.get_tokens()]
            return {after for self, dot, after in zip(words, words[1:], words[2:]) if (self, dot) == ("self", ".")}
    return None


def reached(all_records, root):
    """The records that World and the engines are made of, and all that have a visit_state."""
    engines = [record for record in all_records.values() if derives_from(ENGINE, record, all_records)]
    if not engines:
        raise SystemExit("no model has an engine")
    states = [record for record in all_records.values() if derives_from(STATE, record, all_records)]
    waiting = engines + states + [record for record in all_records.values()
                         if record.spelling in ROOTS or visited_by(record) is not None]
    found = {}
    while waiting:
        record = waiting.pop()
        if not is_ours(record, root) or record.get_usr() in found:
            continue
        record = all_records.get(record.get_usr(), record)
        found[record.get_usr()] = record
        for part in members_of(record) + bases_of(record):
            waiting += records_in(part.type)
    return list(found.values())


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


def problems_of(units, root, table):
    """What breaks the rule in the simulation of that root; `table`: a text."""
    table = table_of(table)
    found = reached(all_definitions(units, root), root)
    problems = []
    used = set()
    for record in sorted(found, key=lambda record: (path_of(record), place_of(record))):
        name = path_of(record)
        if not record.is_definition():
            problems.append(f"{place_of(record)}: {name} is defined nowhere in the simulation")
            continue
        visited = visited_by(record)
        for member in members_of(record):
            if member.kind == KIND.VAR_DECL:
                if may_change(member.type):
                    problems.append(f"{place_of(member)}: {name}::{member.spelling} is static: no world's own")
                continue
            if visited is not None:
                known = member.spelling in visited
            else:
                known = (name, member.spelling) in table
                used.add((name, member.spelling))
            if not known:
                where = "in its visit_state" if visited is not None else "as state or derived in the table of members"
                problems.append(f"{place_of(member)}: {name}::{member.spelling} is not declared {where}")
    problems += [f"the table has {name}::{member}, which is no such member" for name, member in table
                 if (name, member) not in used]
    return problems
