#!/usr/bin/env python3
"""The terminal viewer shows what its terminal can: colours by TERM and NO_COLOR, letters without them, and
a help that can be read to its end on a small screen.

Runs the viewer on a pseudo-terminal of 60 x 16 characters against a real server, and keeps the screen that
it draws.

Usage: terminal_look_test.py SERVER VIEWER WORLD.toml
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

COLUMNS, ROWS = 60, 16
SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Terminal:
    """The screen as the viewer's escape sequences draw it."""

    def __init__(self, viewer, url, variables, *arguments):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        known = {key: value for key, value in os.environ.items()
                 if key not in ("NO_COLOR", "COLORTERM", "LC_ALL", "LC_CTYPE")}
        self.process = subprocess.Popen([viewer, url, *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        start_new_session=True, env={**known, **variables})
        os.close(slave)
        self.rows = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.bytes = b""
        self.rest = ""

    def text(self):
        return "\n".join("".join(row) for row in self.rows)

    def feed(self, text):
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = SEQUENCE.match(text, at)
                if not match:
                    self.rest = text[at:]
                    return
                at = match.end()
                if match[3] == "H" and not match[1]:
                    self.row, self.column = (int(number) - 1 for number in match[2].split(";"))
                continue
            if self.row < ROWS and self.column < COLUMNS:
                self.rows[self.row][self.column] = text[at]
            self.column += 1
            at += 1

    def wait_for(self, pattern, seconds=20):
        end = time.monotonic() + seconds
        pending = b""
        while not re.search(pattern, self.text()):
            left = end - time.monotonic()
            assert left > 0, f"{pattern!r} never came; the screen:\n{self.text()}"
            if not select.select([self.master], [], [], left)[0]:
                continue
            more = os.read(self.master, 65536)
            self.bytes += more
            pending += more
            try:
                self.feed(pending.decode())
                pending = b""
            except UnicodeDecodeError:
                pass  # the rest of a character is on its way
        return self.text()

    def press(self, keys):
        os.write(self.master, keys)

    def quit(self):
        self.press(b"q")
        self.process.wait(20)
        os.close(self.master)


def main():
    server_path, viewer, world = sys.argv[1:]
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen([server_path, "--listen", "127.0.0.1:0", "--data", data,
                                   "--no-verify", "--world", world],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = server.stdout.readline().split("http://")[1].strip()
            url = f"ws://{address}/worlds/{os.path.basename(world).removesuffix('.toml')}"

            plain = Terminal(viewer, url, {"TERM": "xterm-256color", "NO_COLOR": "1", "LC_ALL": "C"})
            plain.wait_for("####")
            plain.press(b"?")
            top = plain.wait_for("more: down")
            assert "move the picture" in top and "more: up" not in top and "quit" not in top, top
            plain.press(b"\x1b[B" * 30)
            bottom = plain.wait_for("more: up")
            plain.wait_for("quit +q")
            assert "more: down" not in plain.text(), bottom
            plain.press(b"\x1b[5~" * 3)
            plain.wait_for("move the picture")
            plain.press(b"x")  # closes it
            plain.wait_for(r"(?s)^(?!.*move the picture).*####")
            plain.press(b"O")
            plain.wait_for("Water in a cell")
            plain.wait_for("eighths of a full cell")
            plain.press(b"O")
            plain.wait_for(r"Depth in cells +0 0 +5 \d+ +9 \d+")
            plain.press(b"O")
            plain.wait_for(r"Surface over the floor, in cells +0 \S+ +5 \S+ +9 \S+")
            plain.press(b"O")
            plain.wait_for("Where heads drive water +> gently +v it falls")
            plain.press(b"O")
            plain.wait_for("changed just now")
            plain.press(b"O")
            plain.wait_for(r"Last change of a chunk +0 1 s ago +3 17 min +\. none")
            plain.press(b"O")
            plain.wait_for("Bytes a second for a chunk")
            plain.wait_for(r"\n.*[ #.~-]S[ #.~-]")  # a spring
            plain.press(b"O")
            plain.wait_for("What others see")
            plain.press(b"OI")
            plain.wait_for(r"\[\d+, \d+\] (air|rock|water)  .*chunk ")
            plain.press(b"\x1b[<1;31;9M\x1b[<1;31;9m")  # the middle button
            plain.wait_for(r"\[\d+, \d+\] \w+ +\d+\.\d\d units +\d+")
            plain.press(b"II")
            plain.wait_for(r"chunk \[\d+, \d+, 0\]")
            plain.press(b"Rr\x1b[<0;20;5M\x1b[<32;24;6M\x1b[<0;24;6m")  # a box of rock, by dragging
            plain.press(b"z")
            plain.wait_for(" undone")
            other = Terminal(viewer, url, {"TERM": "xterm", "LC_ALL": "C"}, "--name", "anna")
            plain.wait_for("@anna")
            other.press(b"D")
            other.wait_for(r"@guest \d")
            plain.press(b"N")
            plain.wait_for("here is anna")
            other.quit()
            plain.wait_for(r"(?s)^(?!.*@anna)")
            assert plain.bytes.isascii(), "letters alone"
            assert b"[38;" not in plain.bytes and b"[48;" not in plain.bytes
            plain.quit()
            print("letters without colours; the help scrolls; overlays, inspector, mouse and others")

            for term, mark in (("tmux-256color", b"\x1b[38;5;"), ("xterm-direct", b"\x1b[38;2;")):
                colours = Terminal(viewer, url, {"TERM": term, "LC_ALL": "C.UTF-8"})
                colours.wait_for("tick")
                assert mark in colours.bytes, f"{term}: {colours.bytes[:200]!r}"
                colours.quit()
            few = Terminal(viewer, url, {"TERM": "xterm", "LC_ALL": "C.UTF-8"})
            few.wait_for("tick")
            assert b"[38;" not in few.bytes and re.search(rb"\x1b\[(3|9)[0-7]m", few.bytes)
            few.quit()
            print("256, true and 16 colours by TERM")

            dumb = subprocess.run([viewer, url], stdin=subprocess.DEVNULL, capture_output=True,
                                  env={**os.environ, "TERM": "dumb"}, timeout=20, check=False)
            assert dumb.returncode == 2 and b"--headless" in dumb.stderr, dumb
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
