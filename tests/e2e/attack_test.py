#!/usr/bin/env python3
"""Goal: while some clients attack a server, the others see the world, right and in time, and its history is what it
would have been. Method: `sluice load` beside attackers.py, then the recording is replayed.

Usage: attack_test.py SERVER TOOL WORLD.toml [--clients N] [--hostile K] [--seconds S] [--measure]

With --measure the same load runs before the attack, too, and what both felt is printed: nothing is judged by time. The
attackers then take what the server and the others leave of the machine.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

ATTACKERS = pathlib.Path(__file__).parent / "attackers.py"


def start_server(program, world, folder, clients):
    config = pathlib.Path(folder) / "server.toml"
    config.write_text(f'world = ["{os.path.abspath(world)}"]\ndata = "{folder}/data"\nlisten = "127.0.0.1:0"\n'
                      f"[connections]\nmost = {clients + 64}\nper_address = {clients + 64}\n")
    log = open(pathlib.Path(folder) / "log", "w+", encoding="utf-8")
    server = subprocess.Popen([program, "--config", config], stdout=subprocess.PIPE, stderr=log, text=True)
    for line in server.stdout:
        if line.startswith("listening on "):
            return server, int(line.rsplit(":", 1)[1]), log
    log.seek(0)
    raise AssertionError("the server did not start: " + log.read())


def load(tool, port, world, options, seconds):
    command = [tool, "load", f"ws://127.0.0.1:{port}/worlds/{world}", "--clients", str(options.clients), "--seconds",
               str(seconds), "--commands-per-second", "2", "--commanders", str(max(1, options.clients // 10))]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def felt(process):
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, out + errors
    result = json.loads(out)
    assert result["digest_mismatches"] == 0 and result["errors"] == 0, out + errors
    assert result["chunks_checked"] > 0 and result["commands_applied"] > 0, out
    return result


def resident_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1])


def main():
    parser = argparse.ArgumentParser()
    for name in ("server", "tool", "world"):
        parser.add_argument(name)
    parser.add_argument("--clients", type=int, default=40)
    parser.add_argument("--hostile", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--measure", action="store_true")
    options = parser.parse_args()
    world = pathlib.Path(options.world).stem
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/data")
        server, port, log = start_server(options.server, options.world, folder, options.clients + options.hostile)
        try:
            calm = felt(load(options.tool, port, world, options, options.seconds)) if options.measure else None
            attack = subprocess.Popen([sys.executable, ATTACKERS, str(port), world, str(options.hostile),
                                       str(options.seconds + 2), *(["idle"] if options.measure else [])], stdout=subprocess.PIPE, text=True)
            attacked = felt(load(options.tool, port, world, options, options.seconds))
            out, _ = attack.communicate(timeout=300)
            assert attack.returncode == 0, out
            kinds = dict(line.split() for line in out.splitlines())
            assert len(kinds) >= min(options.hostile, 10), f"not every kind came: {kinds}"
            memory = resident_kib(server.pid)
            table = subprocess.run([options.tool, "load", f"ws://127.0.0.1:{port}/worlds/{world}", "--clients", "3",
                                    "--stall", "1", "--mirrors", "1", "--seconds", "1", "--table"],
                                   capture_output=True, text=True, timeout=60)
            words = ("3 clients for", "1 of them stalled", "between two ticks", "a tick's lateness", "in 1 mirrors, 0 differed")
            assert table.returncode == 0 and all(text in table.stdout for text in words), table.stdout + table.stderr
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) == 0, "the server failed"
        log.seek(0)
        lines = log.read().splitlines()
        # What it says of one client it says some times a second at the most.
        assert len(lines) < 400 + 40 * options.seconds, "\n".join(lines[-40:])
        # Every tick is what its commands make of it, attacks or not.
        verified = subprocess.run([options.tool, "verify", f"{folder}/data/{world}.sluice"], capture_output=True,
                                  text=True, timeout=300)
        assert verified.returncode == 0, verified.stdout + verified.stderr
    print(f"connections of attackers: {kinds}; the server's memory: {memory} KiB at most; its log: {len(lines)} lines")
    for name, result in (("calm", calm), ("attacked", attacked)):
        if result:
            numbers = {key: value for key, value in result.items() if key.endswith("_ms")}
            print(name + ": " + json.dumps({"clients": result["clients"], **numbers}))


if __name__ == "__main__":
    main()
