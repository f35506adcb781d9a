"""The house rules that a program can check. Each check takes a tree and returns what it found.

Run as a program on the project's root: prints what breaks a rule, and fails if anything does.
"""

import os
import pathlib
import re
import subprocess
import sys

SOURCE_FOLDERS = ("server", "protocol", "client_stub", "tests")
# Programs that CMake compiles to ask what the system has; no part of the project.
PROBES = "cmake"
CODE = (".h", ".cpp", ".ts", ".mjs", ".py")
# Code that no check here would read.
OTHER_CODE = (".hpp", ".hh", ".hxx", ".h++", ".cc", ".cxx", ".c++", ".c", ".C", ".ipp", ".ixx", ".cppm", ".inl", ".inc",
              ".tpp", ".txx")
NOT_OURS = ("node_modules", "build", "data")
MOST_LINES = 500
MOST_LINES_OF_A_FUNCTION = 70

# Folder -> folders of ours whose headers it may include. What is not listed is not allowed.
LAYERS = {
    # What every layer shares: results, places, boxes, chunks, limits.
    "protocol/base": {"protocol/base"},
    "server/sim": {"protocol/base", "server/sim"},
    "server/workers": {"protocol/base", "server/workers", "server/sim"},
    "server/formats": {"protocol/base", "server/formats", "server/sim"},
    "server/record": {"protocol/base", "server/record", "server/sim"},
    # Who may do what: accounts, roles, tokens.
    "server/access": {"protocol/base", "server/access", "server/sim"},
    "protocol": {"protocol/base", "protocol"},
    "client_stub": {"protocol/base", "client_stub", "protocol"},
    "server/net": {"protocol/base", "server/net", "server/access", "protocol", "server/sim", "server/formats"},
    # Plays recordings to the network: for a replay, and for those who look back in a living world.
    "server/playback": {"protocol/base", "server/playback", "server/net", "server/record", "server/sim", "protocol"},
    "server/host": {"protocol/base", "server/host", "server/access", "server/net", "server/playback", "server/record",
                    "server/workers", "server/formats", "server/sim", "protocol"},
    # Serves recordings, as the host serves living worlds: beside it, not above it.
    "server/replay": {"protocol/base", "server/replay", "server/playback", "server/net", "server/record",
                      "server/workers", "server/sim", "protocol"},
    # `sluice replay --serve` is the one tool that listens.
    "server/tools": {"protocol/base", "server/tools", "server/access", "server/replay", "server/net", "server/record",
                     "server/workers", "server/formats", "server/sim", "protocol", "client_stub"},
}

# What the simulation may include of the standard library. Containers without an order, clocks,
# threads, streams, locales and generators are left out on purpose.
SIM_STANDARD_HEADERS = {
    "algorithm", "array", "atomic", "bit", "bitset", "compare", "concepts", "cstddef", "cstdint", "cstdlib",
    "functional", "iterator", "limits", "map", "memory", "new", "numeric", "optional", "set", "span", "string",
    "string_view", "tuple", "type_traits", "utility", "variant", "vector",
}
# The last words of a program error.
SIM_EXCEPTIONS = {"protocol/base/assert.cpp": {"cstdio"}}
VECTOR_KERNELS = re.compile(r"server/sim/.*kernels_vector[^/]*\.(?:cpp|h)$")

SIM_BANNED_WORDS = re.compile(
    r"\b(float|double|unordered_\w+|std::hash|random\w*|mt19937\w*|chrono|thread|mutex|iostream|"
    r"locale|s?rand|time|clock_gettime|thread_local)\b(?!_)")
INCLUDE = re.compile(r'^\s*#\s*(?:include|include_next|import)\s*([<"])([^>"]+)[>"]', re.M)
COMPUTED_INCLUDE = re.compile(r'^\s*#\s*(?:include|include_next|import)\b\s*([^\s<"].*)', re.M)

# Arithmetic, comparison and conversion of floating-point numbers on x86. Moves and bitwise
# operations on vector registers serve integers too, so they are not in the list.
FLOATING_POINT = re.compile(
    r"^v?(add|sub|mul|div|sqrt|rsqrt|rcp|max|min|cmp\w*|ucomi|comi|cvt\w*|round|dp|haddp?|hsubp?|"
    r"fn?m(add|sub)\w*|addsub|getexp|getmant|scalef|range|reduce|rndscale|fixupimm)"
    r"\w*(ss|sd|ps|pd)$|^f(ld|ild|st|ist|add|sub|mul|div|sqrt|com|ucom|chs|abs|ptan|sin|cos)")
FLOAT_CONVERSION = re.compile(r"^v?cvt\w*(ss|sd|ps|pd)\w*$")


def sources(root):
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in CODE and "node_modules" not in path.parts:
                yield path


def name_of(root, path):
    return path.relative_to(root).as_posix()


def layer_of(name):
    found = [layer for layer in LAYERS if name.startswith(layer + "/")]
    return max(found, key=len) if found else None


def without_comments(text):
    """The same lines without comments and without what texts hold."""
    def lines_of(match):
        return '""' + "\n" * match.group(0).count("\n")
    # One after the other, because each may hold what looks like the beginning of another.
    return re.sub(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|'
                  r"//[^\n]*|/\*.*?\*/",
                  lambda m: lines_of(m) if m.group(0)[0] in "R\"'" else "\n" * m.group(0).count("\n"),
                  text, flags=re.S)


def all_code(root):
    """Below any folder, also in files that sources() does not know."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS and not name.startswith("."))
        for name in sorted(files):
            path = pathlib.Path(folder) / name
            if path.suffix in CODE + OTHER_CODE:
                yield path


def check_places(root):
    """No code stands where the other checks do not look."""
    problems = []
    for path in all_code(root):
        name = name_of(root, path)
        if name.split("/")[0] not in SOURCE_FOLDERS + (PROBES,):
            problems.append(f"{name}: code stands in {', '.join(SOURCE_FOLDERS)} alone")
        elif path.suffix in OTHER_CODE:
            problems.append(f"{name}: headers end in .h, other code of C++ in .cpp")
    return problems


def check_include_paths(root):
    """Layers are told by how a header is named, so each one is named from the root."""
    problems = []
    for path in sources(root):
        if path.suffix not in (".h", ".cpp"):
            continue
        text = path.read_text()
        for kind, header in INCLUDE.findall(text):
            parts = header.split("/")
            ours = parts[0] in SOURCE_FOLDERS or header.startswith("hwy/") or header.endswith("_generated.h")
            if ".." in parts or "." in parts or "" in parts or (kind == '"' and not ours):
                problems.append(f"{name_of(root, path)}: includes {header}; headers are named from the project's root")
        for words in COMPUTED_INCLUDE.findall(text):
            problems.append(f"{name_of(root, path)}: includes by way of a macro: {words}")
    return problems


def check_map(root):
    """Whoever reads README.md, or the README of a folder that it names, finds every folder with code."""
    folders = {"/".join(path.relative_to(root).parts[:2]) for path in sources(root)
               if len(path.relative_to(root).parts) > 2}
    problems = []
    for folder in sorted(folders):
        parent, own = folder.split("/")
        named = re.compile(rf"(?<![\w/-]){folder}(?![\w-])")
        named_there = re.compile(rf"[`(\[]{own}/?[`\])]")
        if not any(named.search(row) for row in rows_of(root / "README.md")) and not any(
                named_there.search(row) for row in rows_of(root / parent / "README.md")):
            problems.append(f"{folder}: neither README.md nor {parent}/README.md has a row that names it")
    return problems


def rows_of(readme):
    """The rows of its tables."""
    return [line for line in readme.read_text().splitlines() if line.startswith("|")] if readme.exists() else []


def check_layers(root):
    problems = []
    for path in sources(root):
        name = name_of(root, path)
        if name.startswith("tests/") or path.suffix not in (".h", ".cpp"):
            continue
        layer = layer_of(name)
        if layer is None:
            problems.append(f"{name}: stands in no layer; LAYERS lists them")
            continue
        for kind, header in INCLUDE.findall(path.read_text()):
            if header.split("/")[0] not in SOURCE_FOLDERS:
                continue
            target = layer_of(header)
            if target not in LAYERS[layer]:
                problems.append(f"{name}: includes {header}, but {layer} may not use {target or 'it'}")
    return problems


def check_picture(root):
    """README.md draws the layers as floors: each stands once, above all that it uses."""
    text = (root / "README.md").read_text()
    drawn = [block for block in re.findall(r"```text\n(.*?)```", text, re.S) if "protocol/base" in block]
    if len(drawn) != 1:
        return [f"README.md: {len(drawn)} pictures of the layers"]
    words = [set(line.split()) for line in drawn[0].splitlines()]
    floors = {layer: [number for number, line in enumerate(words) if layer in line] for layer in LAYERS}
    problems = [f"README.md: {layer} stands on {len(found)} floors" for layer, found in floors.items() if len(found) != 1]
    if problems:
        return problems
    return [f"README.md: {layer} does not stand above {used}, which it uses"
            for layer, below in LAYERS.items() for used in sorted(below - {layer}) if floors[layer][0] >= floors[used][0]]


def check_sim_includes(root):
    problems = []
    for path in sources(root):
        name = name_of(root, path)
        if layer_of(name) not in ("protocol/base", "server/sim") or path.suffix not in (".h", ".cpp"):
            continue
        allowed = SIM_STANDARD_HEADERS | SIM_EXCEPTIONS.get(name, set())
        for kind, header in INCLUDE.findall(path.read_text()):
            if header.startswith(("protocol/base/", "server/sim/")) or header in allowed:
                continue
            if header.startswith("hwy/") and VECTOR_KERNELS.search(name):
                continue
            problems.append(f"{name}: the simulation may not include {header}")
    return problems


def check_sim_words(root):
    problems = []
    for path in sources(root):
        name = name_of(root, path)
        if layer_of(name) not in ("protocol/base", "server/sim") or path.suffix not in (".h", ".cpp"):
            continue
        for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
            for match in SIM_BANNED_WORDS.finditer(line):
                problems.append(f"{name}: the simulation may not use '{match.group(1)}': {line.strip()}")
    return problems


def check_length(root):
    problems = []
    for path in sources(root):
        lines = path.read_text().count("\n")
        if lines > MOST_LINES:
            problems.append(f"{name_of(root, path)}: {lines} lines; at most {MOST_LINES}")
    return problems


NO_FUNCTION = re.compile(r"^(?:else\s+)?(?:if|for|while|switch|catch|do|else|try|namespace|class|struct|enum|"
                         r"union|extern|return|case|default)\b")


def functions_of(text):
    """First line and number of lines between the braces of each function and lambda."""
    text = without_comments(text)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M)
    opened = []
    head = 0  # where the declaration began that the next brace belongs to
    for brace in re.finditer(r"[{};]", text):
        at = brace.start()
        if brace.group(0) == "{":
            opened.append((at, head))
        elif brace.group(0) == "}" and opened:
            start, head = opened.pop()
            words = text[head:start].strip()
            words = re.sub(r"^(?:public|private|protected)\s*:\s*", "", words)
            if "(" in words and not NO_FUNCTION.match(words):
                yield text.count("\n", 0, start) + 1, max(0, text.count("\n", start, at) - 1)
            if re.match(r"\s*[,{]", text[at + 1:at + 100]):
                continue  # a member was given its value; the constructor's head goes on
        head = at + 1


def check_functions(root):
    problems = []
    for path in sources(root):
        if path.suffix not in (".h", ".cpp"):
            continue
        for line, lines in functions_of(path.read_text()):
            if lines > MOST_LINES_OF_A_FUNCTION:
                problems.append(f"{name_of(root, path)}:{line}: a function of {lines} lines; "
                                f"at most {MOST_LINES_OF_A_FUNCTION}")
    return problems


def check_format(root):
    """`./dev format` mends what this finds."""
    files = [str(path) for path in sources(root) if path.suffix in (".h", ".cpp")]
    if not files:
        return []
    done = subprocess.run(["clang-format", "--dry-run", "--style=file", *files], capture_output=True,
                          text=True, check=True)
    found = re.findall(r"^(\S+?):(\d+):\d+: warning: code should be clang-formatted", done.stderr, re.M)
    first = {}
    for file, line in found:
        first.setdefault(file, line)
    return [f"{name_of(root, pathlib.Path(file))}:{line}: not as .clang-format has it; ./dev format"
            for file, line in first.items()]


def floating_point_instructions(library):
    """The floating-point instructions in an object file or a static library."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(library)],
                             check=True, capture_output=True, text=True).stdout
    found = []
    function = "?"
    instructions = 0
    for line in listing.splitlines():
        if line.endswith(">:"):
            function = line.split("<", 1)[1][:-2]
        match = re.match(r"\s+[0-9a-f]+:\s+(\S+)", line)
        if not match:
            continue
        instructions += 1
        opcode = match.group(1)
        if FLOATING_POINT.match(opcode) or FLOAT_CONVERSION.match(opcode):
            found.append(f"{function}: {opcode}")
    if instructions == 0:
        raise ValueError(f"{library} holds no instruction that objdump can read")
    return found


def check_properties(root):
    """A property whose result nobody looks at cannot fail: rc::check only returns it."""
    problems = []
    for path in sources(root):
        if path.suffix == ".cpp" and re.search(r"^\s*rc::check\(", path.read_text(), re.M):
            problems.append(f"{name_of(root, path)}: the result of rc::check is not looked at")
    return problems


SOURCE_CHECKS = (check_places, check_include_paths, check_map, check_layers, check_picture, check_sim_includes, check_sim_words,
                 check_length, check_functions, check_format, check_properties)


def main():
    root = pathlib.Path(sys.argv[1])
    problems = [problem for check in SOURCE_CHECKS for problem in check(root)]
    if len(sys.argv) > 2:
        problems += [f"floating point in {found}" for found in floating_point_instructions(sys.argv[2])]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
