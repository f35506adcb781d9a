"""Goal: what the tutorials say happens. Each file that they show is written, each command that they
show is run in order, and prints what stands below it; an ellipsis stands for any text, a line of it alone for any lines."""
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pattern_of(shown):
    lines = [r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n" for line in shown]
    return re.compile("".join(lines))


def commands_in(text):
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield command, shown


def check(page, bin_folder):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    environment = {**os.environ, "PATH": os.path.abspath(bin_folder) + os.pathsep + os.environ["PATH"]}
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for language, name, content in FENCE.findall(text):
            if name:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(content)
            if language != "console":
                continue
            for command, shown in commands_in(content):
                done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
                # A command that a world refuses is told there, and is no failure.
                assert done.returncode == 0 and not done.stderr, f"{page}: {command}\n{done.stderr}"
                assert pattern_of(shown).fullmatch(done.stdout), (
                    f"{page}: {command}\nprints\n{done.stdout}\nbut the page shows\n" + "\n".join(shown))
                ran += 1
    assert ran >= 2, f"{page}: shows {ran} commands"


if __name__ == "__main__":
    assert not pattern_of(["a…c", "…"]).fullmatch("ab\n") and pattern_of(["a…c", "…"]).fullmatch("abc\nd\n")
    for tutorial in sys.argv[2:]:
        check(tutorial, sys.argv[1])
