"""Reads the simulation as the compiler does (libclang), for state_members.py and kept_variables.py.

A unit is all code of some folders, headers and .cpp files, read together: a unit for each file takes minutes.
"""

import pathlib

from clang import cindex

KIND = cindex.CursorKind
TYPE = cindex.TypeKind
FOLDERS = ("server/sim", "protocol/base")
# Beside these and the water models, all folders can be read as one unit.
APART = ("server/sim/pipes", "server/sim/steam", "server/sim/waves")
# They read themselves once for each set of vector units, and hold nothing but loops over what they are given.
VECTOR_KERNELS = "kernels_vector"


def code_by_folder(root):
    """{folder: its files, headers first}"""
    folders = {}
    for top in FOLDERS:
        for path in sorted((root / top).rglob("*"), key=lambda path: (path.suffix != ".h", path)):
            if path.suffix in (".h", ".cpp") and not path.name.startswith(VECTOR_KERNELS):
                folders.setdefault(path.parent, []).append(path)
    return folders


def read_together(root):
    """The files of each unit: what uses one name for several things, each for itself, stands apart."""
    folders = code_by_folder(root)
    apart = [folder for folder in sorted(folders)
             if folder.relative_to(root).as_posix() in APART or folder.parent.name == "models"]
    yield [path for folder in sorted(folders) if folder not in apart for path in folders[folder]]
    yield from (folders[folder] for folder in apart)


def parse(root, paths):
    """The unit that includes these files, and what is wrong with it."""
    text = "".join(f'#include "{path.relative_to(root)}"\n' for path in paths)
    name = str(root / "together.cpp")
    unit = cindex.Index.create().parse(name, args=["-std=c++20", "-DSLUICE_CHECKED", f"-I{root}"],
                                       unsaved_files=[(name, text)])
    return unit, [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]


def units_of(root):
    """(unit, its files) of the whole simulation. Stops where something does not compile."""
    for paths in read_together(root):
        yield from units_of_files(root, paths)


def units_of_files(root, paths):
    unit, errors = parse(root, paths)
    if not errors:
        yield unit, paths
    elif len(paths) == 1:
        raise SystemExit("\n".join(errors))
    else:
        # Two files may use one name for two things, each for itself.
        folders = sorted({path.parent for path in paths})
        parts = [[path] for path in paths] if len(folders) == 1 else [
            [path for path in paths if path.parent == folder] for folder in folders]
        for part in parts:
            yield from units_of_files(root, part)


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
