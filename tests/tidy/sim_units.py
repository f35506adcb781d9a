"""Reads the simulation as the compiler does (libclang): what both state_members.py and kept_variables.py look at.

A unit is all code of one folder, headers and .cpp files, read together: a unit for each file takes minutes.
"""

import pathlib

from clang import cindex

KIND = cindex.CursorKind
TYPE = cindex.TypeKind
FOLDERS = ("server/sim", "protocol/base")
# They read themselves once for each set of vector units, and hold nothing but loops over what they are given.
VECTOR_KERNELS = "kernels_vector"


def code_by_folder(root):
    """The files of each folder, headers first."""
    folders = {}
    for top in FOLDERS:
        for path in sorted((root / top).rglob("*"), key=lambda path: (path.suffix != ".h", path)):
            if path.suffix in (".h", ".cpp") and not path.name.startswith(VECTOR_KERNELS):
                folders.setdefault(path.parent, []).append(path)
    return [folders[folder] for folder in sorted(folders)]


def parse(root, paths):
    """The unit that includes these files, and what is wrong with it."""
    text = "".join(f'#include "{path.relative_to(root)}"\n' for path in paths)
    name = str(root / "together.cpp")
    unit = cindex.Index.create().parse(name, args=["-std=c++20", "-DSLUICE_CHECKED", f"-I{root}"],
                                       unsaved_files=[(name, text)])
    return unit, [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]


def units_of(root):
    """(unit, its files) of the whole simulation. Stops where something does not compile."""
    for paths in code_by_folder(root):
        unit, errors = parse(root, paths)
        if not errors:
            yield unit, paths
            continue
        # Two files of a folder may use one name for two things, each for itself.
        for path in paths:
            unit, errors = parse(root, [path])
            if errors:
                raise SystemExit("\n".join(errors))
            yield unit, [path]


def may_change(a_type):
    """Whether a variable of that type can hold something else later, itself or what it points to."""
    a_type = a_type.get_canonical()
    constant = a_type.is_const_qualified()
    while a_type.kind in (TYPE.CONSTANTARRAY, TYPE.INCOMPLETEARRAY):
        a_type = a_type.element_type
        constant = constant or a_type.is_const_qualified()
    if a_type.kind in (TYPE.LVALUEREFERENCE, TYPE.RVALUEREFERENCE):
        return may_change(a_type.get_pointee())
    if a_type.kind == TYPE.FUNCTIONPROTO:
        return False
    return not constant or (a_type.kind == TYPE.POINTER and may_change(a_type.get_pointee()))
