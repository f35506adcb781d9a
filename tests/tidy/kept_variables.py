"""The simulation keeps nothing outside a world: no variable of a function, a class or a file that outlives a tick
(read_simulation.py).

The simulation is read as the compiler does (libclang), so that no variable escapes, however it is declared. What
outlives a tick must be a world's state, which visit_state declares; all else makes one world's tick depend on
another's, or on how many there were.
"""

import sys

from clang import cindex

sys.dont_write_bytecode = True
from sim_units import KIND, may_change

SCOPES = (KIND.NAMESPACE, KIND.TRANSLATION_UNIT, KIND.STRUCT_DECL, KIND.CLASS_DECL, KIND.CLASS_TEMPLATE,
          KIND.UNION_DECL, KIND.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, KIND.LINKAGE_SPEC, KIND.UNEXPOSED_DECL)
STATIC = cindex.StorageClass.STATIC, cindex.StorageClass.EXTERN


def is_kept(variable):
    """Whether it lives longer than the call of a function."""
    return (variable.semantic_parent.kind in SCOPES or variable.storage_class in STATIC
            or variable.tls_kind != cindex.TLSKind.NONE)


def is_kept_template(cursor):
    """Of a variable libclang shows no more than its words."""
    if cursor.kind != KIND.UNEXPOSED_DECL or not cursor.spelling:
        return False
    words = [token.spelling for token in cursor.get_tokens()]
    return words[:1] == ["template"] and not {"constexpr", "concept"} & set(words)


def kept_in(cursor):
    """All that are kept and can change, those of functions and lambdas too."""
    if is_kept_template(cursor) or (cursor.kind == KIND.VAR_DECL and is_kept(cursor) and may_change(cursor.type)):
        yield cursor
    for child in cursor.get_children():
        yield from kept_in(child)


def problems_of(units, root):
    """What breaks the rule in the simulation of that root."""
    problems = {}  # by place: a unit of a file alone finds what a unit of its folder found
    for unit, paths in units:
        names = {str(path): path.relative_to(root).as_posix() for path in paths}
        for top in unit.cursor.get_children():
            if top.location.file is None or top.location.file.name not in names:
                continue
            for variable in kept_in(top):
                place = (names[top.location.file.name], variable.location.line)
                problems[place, variable.spelling] = (
                    f"{place[0]}:{place[1]}: the simulation may keep nothing outside a world: {variable.spelling}")
    return [problems[key] for key in sorted(problems)]
