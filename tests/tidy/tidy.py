"""The house rules that a program can check. Each check takes a tree and returns what it found.

Run as a program on the project's root: prints what breaks a rule, and fails if anything does.
"""

import pathlib
import re
import subprocess
import sys

SOURCE_FOLDERS = ("server", "protocol", "client_stub", "tests")
MOST_LINES = 500

# Folder -> folders of ours whose headers it may include. What is not listed is not allowed.
LAYERS = {
    "server/sim": {"server/sim"},
    "server/workers": {"server/workers", "server/sim"},
    "server/formats": {"server/formats", "server/sim"},
    "server/record": {"server/record", "server/sim"},
    "protocol": {"protocol"},
    "client_stub": {"client_stub", "protocol"},
    "server/net": {"server/net", "protocol", "server/sim", "server/formats"},
    "server/host": {"server/host", "server/net", "server/record", "server/workers",
                    "server/formats", "server/sim", "protocol"},
    # Plays recordings to the network, as the host plays living worlds: beside it, not above it.
    "server/replay": {"server/replay", "server/net", "server/record", "server/workers",
                      "server/sim", "protocol"},
    # `sluice replay --serve` is the one tool that listens.
    "server/tools": {"server/tools", "server/replay", "server/net", "server/record",
                     "server/workers", "server/formats", "server/sim", "protocol", "client_stub"},
}

# What the simulation may include of the standard library. Containers without an order, clocks,
# threads, streams, locales and generators are left out on purpose.
SIM_STANDARD_HEADERS = {
    "algorithm", "array", "atomic", "bit", "bitset", "compare", "concepts", "cstddef", "cstdint", "cstdlib",
    "functional", "iterator", "limits", "map", "memory", "numeric", "optional", "set", "span", "string",
    "string_view", "tuple", "type_traits", "utility", "variant", "vector",
}
# The last words of a program error.
SIM_EXCEPTIONS = {"server/sim/assert.cpp": {"cstdio"}}
VECTOR_KERNELS = re.compile(r"server/sim/.*kernels_vector[^/]*\.(?:cpp|h)$")

SIM_BANNED_WORDS = re.compile(
    r"\b(float|double|unordered_\w+|std::hash|random\w*|mt19937\w*|chrono|thread|mutex|iostream|"
    r"locale|rand|time|clock_gettime)\b(?!_)")

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

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
            if path.suffix in (".h", ".cpp", ".ts", ".mjs", ".py") and "node_modules" not in path.parts:
                yield path


def name_of(root, path):
    return path.relative_to(root).as_posix()


def layer_of(name):
    found = [layer for layer in LAYERS if name.startswith(layer + "/")]
    return max(found, key=len) if found else None


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def check_layers(root):
    problems = []
    for path in sources(root):
        name = name_of(root, path)
        layer = layer_of(name)
        if layer is None or path.suffix not in (".h", ".cpp"):
            continue
        for kind, header in INCLUDE.findall(path.read_text()):
            target = layer_of(header)
            if target is not None and target not in LAYERS[layer]:
                problems.append(f"{name}: includes {header}, but {layer} may not use {target}")
    return problems


def check_sim_includes(root):
    problems = []
    for path in sources(root):
        name = name_of(root, path)
        if layer_of(name) != "server/sim" or path.suffix not in (".h", ".cpp"):
            continue
        allowed = SIM_STANDARD_HEADERS | SIM_EXCEPTIONS.get(name, set())
        for kind, header in INCLUDE.findall(path.read_text()):
            if header.startswith("server/sim/") or header in allowed:
                continue
            if header.startswith("hwy/") and VECTOR_KERNELS.search(name):
                continue
            problems.append(f"{name}: the simulation may not include {header}")
    return problems


def check_sim_words(root):
    problems = []
    for path in sources(root):
        name = name_of(root, path)
        if layer_of(name) != "server/sim" or path.suffix not in (".h", ".cpp"):
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


# What holds a world's state, and its members that are state. All others are derived, and stand behind
# a comment that begins with "Derived", so that whoever adds one has said which of the two it is.
STATE_HOLDERS = {"World": {"core_", "grid_", "pipes_"}, "Grid": {"chunks_"}, "Chunk": {"cells", "marks", "coord"}}

STRUCT = re.compile(r"^(?:template <[^\n]*>\n)?(struct|class) (\w+)[^;{\n]*\{\n(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"^  (?!static|using|friend|return|template|explicit|enum|struct|class|public|private)"
                    r"(?:alignas\(\w+\) |mutable |const )*[\w:]+(?:<[^;=(){}]*>)?[ *&]+(\w+)"
                    r"(?:\{[^;]*\}| = [^;]*)?;", re.M)


def members_of(body):
    """The data members of a struct's body, with whether each stands behind a "Derived" comment."""
    derived = False
    found = []
    for line in body.splitlines():
        if re.match(r"\s*// Derived\b", line):
            derived = True
        match = MEMBER.match(line.split("//")[0].rstrip())
        if match:
            found.append((match.group(1), derived))
    return found


def structs_of(text):
    """Name and body of each struct and class, nested ones too, as if they stood outermost."""
    for _, name, body in STRUCT.findall(text):
        yield name, body
        yield from structs_of("\n".join(line[2:] for line in body.splitlines()) + "\n")


def check_state_fields(root):
    """A member that visit_state does not name would be in no digest, snapshot or comparison."""
    problems = []
    for path in sources(root):
        name = name_of(root, path)
        if layer_of(name) != "server/sim" or path.suffix not in (".h", ".cpp"):
            continue
        for struct, body in structs_of(path.read_text()):
            visit = re.search(r"^  static void visit_state\(.*?^  \}", body, re.M | re.S)
            if visit:
                declared = set(re.findall(r"\bself\.(\w+)", visit.group(0)))
                members = {member for member, _ in members_of(body)}
                problems += [f"{name}: {struct}::{member} is not declared in visit_state"
                             for member in sorted(members - declared)]
            elif struct in STATE_HOLDERS:
                problems += [f"{name}: {struct}::{member} is neither known as state nor behind a "
                             "comment that begins with 'Derived'"
                             for member, derived in members_of(body)
                             if not derived and member not in STATE_HOLDERS[struct]]
    return problems


def check_properties(root):
    """A property whose result nobody looks at cannot fail: rc::check only returns it."""
    problems = []
    for path in sources(root):
        if path.suffix == ".cpp" and re.search(r"^\s*rc::check\(", path.read_text(), re.M):
            problems.append(f"{name_of(root, path)}: the result of rc::check is not looked at")
    return problems


SOURCE_CHECKS = (check_layers, check_state_fields, check_sim_includes, check_sim_words, check_length,
                 check_properties)


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
