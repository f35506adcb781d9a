"""The same bits everywhere: builds the simulation in many ways, runs a corpus of scenes on each, and
compares every digest with those that a recording holds. Prints a table; fails if any cell differs.

    matrix.py ROOT SLUICE BUILD_FOLDER [--built NAME=PROGRAM] [--only TEXT] [--ticks N]

With --built it builds nothing, and runs what is there.

SLUICE is the built toolbox: it records the scenes, and what it recorded (the commands as `log`
prints them, the digests as `replay --digests` does) is what each build is held to. So a recording
made here is verified there, also where there is no SQLite.
"""

import argparse
import concurrent.futures
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

# World, script; every model, pipes and each kind of command are among them.
SCENES = [("tests/scenes/u-tube.toml", None), ("tests/scenes/dam-break.toml", None),
          ("tests/scenes/cave.toml", None), ("server/worlds/waterfall.toml", None),
          ("tests/scenes/storm.toml", "tests/scenes/storm.jsonl"), ("tests/scenes/hall.toml", None),
          ("server/worlds/vessels.toml", None), ("tests/scenes/blocks.toml", "tests/scenes/blocks.jsonl"),
          ("tests/scenes/eighths.toml", None), ("server/worlds/river.toml", None),
          ("tests/scenes/brook.toml", "tests/scenes/brook.jsonl"),
          ("tests/scenes/breach.toml", "tests/scenes/breach.jsonl"), ("tests/scenes/cistern.toml", None),
          ("tests/determinism/pipes.toml", "tests/determinism/pipes.jsonl")]

VECTOR = ["-DHWY_SHARED_DEFINE"]
SANITIZERS = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


class Build:
    """One way to build: its name, compiler, flags, and what runs the program."""

    def __init__(self, name, compiler, flags, run=(), portable=False):
        self.name, self.compiler, self.flags = name, compiler, list(flags)
        self.run, self.portable = list(run), portable


BUILDS = [
    Build("gcc -O2", "g++", ["-O2"]),
    Build("clang -O2", "clang++", ["-O2"]),
    Build("gcc -O0", "g++", ["-O0"]),
    Build("clang -O0", "clang++", ["-O0"]),
    Build("gcc -O3 lto", "g++", ["-O3", "-flto=auto"]),
    Build("clang -O3", "clang++", ["-O3"]),
    Build("gcc asan ubsan", "g++", SANITIZERS),
    Build("clang asan ubsan", "clang++", SANITIZERS),
    Build("gcc signed char", "g++", ["-O2", "-fsigned-char"]),
    Build("gcc unsigned char", "g++", ["-O2", "-funsigned-char"]),
    Build("gcc init zero", "g++", ["-O2", "-ftrivial-auto-var-init=zero"]),
    Build("gcc init pattern", "g++", ["-O2", "-ftrivial-auto-var-init=pattern"]),
] + [
    Build(name, f"{triple}-g++", ["-O2", "-static"], [f"qemu-{emulator}-static"], portable=True)
    for name, triple, emulator in [("aarch64", "aarch64-linux-gnu", "aarch64"),
                                   ("riscv64", "riscv64-linux-gnu", "riscv64"),
                                   ("i386", "i686-linux-gnu", "i386"),
                                   ("s390x big-endian", "s390x-linux-gnu", "s390x")]
]

# Threads and order, tried with the builds for this machine.
WAYS = [("1", "-"), ("2", "-"), ("3", "-"), ("7", "-"), ("1", "5"), ("3", "6")]
BUILT_WAYS = [("1", "-"), ("3", "-"), ("3", "6")]


def sources(root, portable):
    found = sorted((root / "protocol/base").glob("*.cpp")) + sorted((root / "server/sim").rglob("*.cpp")) + sorted((root / "server/formats").glob("*.cpp"))
    # Programs that stand beside a library are no part of it.
    found = [path for path in found if "int main(" not in path.read_text()]
    found += [root / "server/workers/thread_pool.cpp", root / "tests/determinism/digests.cpp"]
    if portable:
        found = [path for path in found if "kernels_vector" not in path.name]
        found.append(root / "tests/determinism/portable_kernels.cpp")
    return found


def compile_build(build, root, folder, headers):
    """Returns the program, or a text that says why there is none."""
    if shutil.which(build.compiler) is None:
        return None, f"{build.compiler} is not here"
    for program in build.run:
        if shutil.which(program) is None:
            return None, f"{program} is not here"
    out = folder / build.name.replace(" ", "_")
    out.mkdir(parents=True, exist_ok=True)
    flags = ["-std=c++20", f"-I{root}", "-pthread", "-DTOML_HEADER_ONLY=1", "-DTOML_SHARED_LIB=0",
             *build.flags]
    # Headers without code of their own serve any machine; Debian keeps them in one place.
    flags += [f"-isystem{headers}"] if build.portable else VECTOR
    launcher = ["ccache"] if shutil.which("ccache") else []

    def compile_one(source):
        target = out / (source.relative_to(root).as_posix().replace("/", "_") + ".o")
        done = subprocess.run([*launcher, build.compiler, *flags, "-c", str(source), "-o", str(target)],
                              capture_output=True, text=True)
        return target, done.stderr if done.returncode != 0 else ""

    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        objects = list(pool.map(compile_one, sources(root, build.portable)))
    for _, problem in objects:
        if problem:
            return None, problem
    program = out / "digests"
    libraries = [] if build.portable else ["-lhwy"]
    linked = subprocess.run([build.compiler, *flags, *(str(target) for target, _ in objects), "-o",
                             str(program), *libraries], capture_output=True, text=True)
    return (program, "") if linked.returncode == 0 else (None, linked.stderr)


def take_alone(folder):
    """Another run in this folder would write over objects and recordings of this one. Returns what must be
    kept open as long as it runs, or nothing, if another one does."""
    folder.mkdir(parents=True, exist_ok=True)
    held = open(folder / "lock", "w", encoding="utf-8")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        held.close()
        return None
    return held


def header_folder(folder):
    """A folder with the header-only libraries alone: the whole of /usr/include is this machine's."""
    headers = folder / "headers"
    headers.mkdir(parents=True, exist_ok=True)
    for name in ("toml++", "nlohmann"):
        link = headers / name
        if not link.exists():
            link.symlink_to(pathlib.Path("/usr/include") / name)
    return headers


def record(sluice, root, folder, world, script, ticks):
    """Records a scene with the toolbox; returns its script and its digests."""
    name = pathlib.Path(world).stem
    recording = folder / f"{name}.sluice"
    for suffix in ("", "-wal", "-shm", "-lock"):
        pathlib.Path(str(recording) + suffix).unlink(missing_ok=True)
    command = [sluice, "sim", str(root / world), "--ticks", str(ticks), "--record", str(recording)]
    if script:
        command += ["--script", str(root / script)]
    subprocess.run(command, check=True, capture_output=True)
    log = folder / f"{name}.jsonl"
    log.write_bytes(subprocess.run([sluice, "log", str(recording)], check=True,
                                   capture_output=True).stdout)
    digests = subprocess.run([sluice, "replay", str(recording), "--digests", "-"], check=True,
                             capture_output=True, text=True).stdout
    return log, digests


def first_difference(expected, actual):
    for number, (a, b) in enumerate(zip(expected.splitlines(), actual.splitlines()), 1):
        if a != b:
            return f"tick {number}"
    return "length" if len(expected) != len(actual) else ""


def run_scene(build, program, root, world, log, digests, ticks, ways):
    for threads, seed in ways:
        done = subprocess.run([*build.run, str(program), str(root / world), str(log), str(ticks), threads,
                               seed], capture_output=True, text=True)
        if done.returncode != 0:
            return f"failed: {done.stderr.strip()[-200:]}"
        difference = first_difference(digests, done.stdout)
        if difference:
            return f"differs at {difference} ({threads} threads, order {seed})"
    return "same"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("sluice")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--built", help="NAME=PROGRAM, instead of the builds")
    parser.add_argument("--only", default="", help="builds with this text in their name")
    parser.add_argument("--ticks", type=int, default=200)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    folder = arguments.folder.resolve()
    alone = take_alone(folder)
    if alone is None:
        print(f"another run is under way in {folder}: wait for its end, or name another folder", file=sys.stderr)
        return 1
    headers = header_folder(folder)
    scenes = [(world, *record(arguments.sluice, root, folder, world, script, arguments.ticks))
              for world, script in SCENES]
    builds = [build for build in BUILDS if arguments.only in build.name]
    if not builds:
        parser.error(f"--only: no build is named like '{arguments.only}'; there are: "
                     + ", ".join(build.name for build in BUILDS))
    built = None
    if arguments.built:
        name, _, built = arguments.built.partition("=")
        builds = [Build(name, "", [])]
    width = max(len(build.name) for build in builds) + 2
    names = [pathlib.Path(world).stem for world, _, _ in scenes]
    print("".ljust(width) + " ".join(name.ljust(10) for name in names), flush=True)
    problems = []
    for build in builds:
        if built:
            program, why = (built, "") if os.access(built, os.X_OK) else (None, f"{built} is not there")
        else:
            program, why = compile_build(build, root, folder, headers)
        if program is None:
            problems.append(f"{build.name}: not built: {why.strip()[-2000:]}")
            print(build.name.ljust(width) + "not built", flush=True)
            continue
        ways = [WAYS[0], WAYS[5]] if build.run else BUILT_WAYS if built else WAYS
        row = []
        for world, log, digests in scenes:
            result = run_scene(build, program, root, world, log, digests, arguments.ticks, ways)
            row.append("same" if result == "same" else "DIFFERS")
            if result != "same":
                problems.append(f"{build.name}, {world}: {result}")
        print(build.name.ljust(width) + " ".join(cell.ljust(10) for cell in row), flush=True)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
