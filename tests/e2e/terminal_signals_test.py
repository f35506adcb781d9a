#!/usr/bin/env python3
"""However the terminal viewer ends, its user gets the terminal back: modes, cursor, screen, mouse.

Runs the viewer on a pseudo-terminal against a real server, ends it by each signal, and compares the
terminal's modes with those before.

Usage: terminal_signals_test.py SERVER VIEWER WORLD.toml
"""
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

ENTERED = b"\x1b[?1049h"
TITLE = b"cave"
# Mouse off, wrapping on, cursor shown, the old screen back.
LEFT = (b"\x1b[?1006l", b"\x1b[?1002l", b"\x1b[?7h", b"\x1b[?25h", b"\x1b[?1049l")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT, signal.SIGSEGV,
           signal.SIGBUS, signal.SIGFPE, signal.SIGILL)


def read_until(master, done, seconds=20):
    output, end = b"", time.monotonic() + seconds
    while not done(output):
        left = end - time.monotonic()
        if left <= 0 or not select.select([master], [], [], left)[0]:
            raise AssertionError(f"waited in vain; the viewer wrote {output[-200:]!r}")
        try:
            more = os.read(master, 65536)
        except OSError:
            break  # nobody holds the other end any more
        if not more:
            break
        output += more
    return output


def end_by(number, viewer, url):
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    process = subprocess.Popen([viewer, url], stdin=slave, stdout=slave, stderr=slave,
                               start_new_session=True, env={**os.environ, "TERM": "xterm-256color"})
    # It draws the world, so it has long had the terminal.
    read_until(master, lambda output: ENTERED in output and TITLE in output)
    assert termios.tcgetattr(slave) != before, "the viewer never took the terminal"
    assert process.poll() is None, "the viewer ended by itself"
    process.send_signal(number)
    output = read_until(master, lambda output: LEFT[-1] in output)
    status = process.wait(20)
    assert status in (0, -number), f"{signal.Signals(number).name}: exit status {status}"
    assert termios.tcgetattr(slave) == before, f"{signal.Signals(number).name}: the modes differ"
    for sequence in LEFT:
        assert sequence in output, f"{signal.Signals(number).name}: {sequence!r} was not written"
    os.close(master)
    os.close(slave)


def main():
    server_path, viewer, world = sys.argv[1:]
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen([server_path, "--listen", "127.0.0.1:0", "--data", data,
                                   "--no-verify", "--world", world],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = server.stdout.readline().split("http://")[1].strip()
            name = os.path.basename(world).removesuffix(".toml")
            for number in SIGNALS:
                end_by(number, viewer, f"ws://{address}/worlds/{name}")
                print(signal.Signals(number).name, "leaves the terminal as it was")
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
