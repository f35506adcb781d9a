#!/usr/bin/env python3
"""Holds protocol/README.md to what a server really sends.

This client was written from the document and the two schemas alone: its own FlatBuffers, WebSocket,
codec and mirror, none of the project's code. It starts a server on the worlds that it is given, looks
at each of them, changes it, misbehaves a little as the document allows, and compares every checksum.
What it cannot do by the document is the document's fault.

Usage: document_client.py SERVER WORLD.toml...
"""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

from document_columns import decode_columns, read_lesson
from document_flatbuffers import DOCUMENT, VERSION, Table, client_message
from document_mirror import AIR, CHANCES, CHUNK_CELLS, DIGITS, TAGS_SEEN, Mirror
from document_socket import Socket

HELLO, SET_VIEW, COMMAND, PING, RESYNC, RESYNC_PIPES, ASK_RESULTS = range(1, 8)
NEW, AGAIN, UNKNOWN, NEVER_CAME = range(4)
WELCOME, REFUSED, TICK, RESULT, PONG = range(1, 6)
TICK_RATE = 8
TICKS = 40  # in which each world is looked at


class Client:
    def __init__(self, port, world, version=VERSION, token=None, last_seq=0, since_tick=0):
        self.socket = Socket(port, "/worlds/" + world)
        self.mirror, self.results, self.pongs, self.refused = None, {}, [], None
        self.kinds, self.results_kept, self.knows_client, self.since_tick = {}, 0, False, 0
        fields = {0: ("I", version), 1: ("text", "by the document")}
        if token:
            fields.update({2: ("bytes", token), 3: ("Q", last_seq), 4: ("Q", since_tick)})
        self.send(HELLO, fields)

    def send(self, kind, fields):
        self.socket.send(client_message(kind, fields))

    def receive(self):
        data = self.socket.receive()
        if data is None:
            return False
        assert data[4:8] == b"SLUS", "the file identifier"
        root = Table(data, struct.unpack_from("<I", data)[0])
        kind, body = root.number(0, "B"), root.table(1)
        if kind == WELCOME:
            self.mirror = Mirror(body)
            self.since_tick = body.number(7, "Q")
            self.results_kept, self.knows_client = body.number(12, "I"), bool(body.number(13, "B"))
        elif kind == REFUSED:
            self.refused = (body.number(0, "H"), body.text(1))
        elif kind == TICK:
            self.mirror.apply(body)
        elif kind == RESULT:
            self.results.setdefault(body.number(0, "Q"), []).append(
                (body.number(1, "B"), body.number(2, "Q"), body.text(3)))
            self.kinds[body.number(0, "Q")] = body.number(4, "B")
        elif kind == PONG:
            self.pongs.append(body.number(0, "Q"))
        return True

    def receive_until(self, done, seconds=120):  # the machine may be busy
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, "waited in vain"
            assert self.receive(), f"closed: {self.refused}"

    def command(self, seq, line):
        before = len(self.results.get(seq, []))
        self.send(COMMAND, {0: ("Q", seq), 1: ("text", line)})
        self.receive_until(lambda: len(self.results.get(seq, [])) > before)
        return self.results[seq][-1]


def look_at(port, world):
    client = Client(port, world)
    client.receive_until(lambda: client.mirror is not None)
    mirror = client.mirror
    assert not mirror.chunks, "nothing is in view without a view"
    client.send(RESYNC, {0: ("3i", (0, 0, 0))})  # without a view: passed over
    client.send(SET_VIEW, {0: ("3i", (0, 0, 0)), 1: ("3i", mirror.size)})
    client.receive_until(lambda: mirror.checked > 0)
    begin = mirror.tick
    client.receive_until(lambda: mirror.tick >= begin + TICKS)
    assert mirror.mismatches == 0, (world, mirror.mismatches)

    # The same number twice is two commands.
    x, y, z = (side // 2 for side in mirror.size)
    box = f'"from": [{x}, {y}, {z}], "size": [1, 1, 1]'
    for _ in range(2):
        applied, tick, reason = client.command(7, '{"cmd": "set_cells", %s, "cell": "#"}' % box)
        assert applied and tick > 0 and reason == "", reason
    client.receive_until(lambda: mirror.cell(x, y, z) == -1)
    applied, tick, reason = client.command(8, '{"cmd": "pour", "at": [%d, %d, %d], "units": 1}' % (x, y, z))
    assert not applied and tick > 0 and "rock" in reason, reason
    applied, tick, reason = client.command(9, '{"cmd": "%s"}' % ("\u00e4" * 1500))
    assert not applied and tick == 0 and len(reason.encode()) <= 512, reason  # cut between characters

    checked = mirror.checked
    client.send(RESYNC, {0: ("3i", (0, 0, 0))})
    client.send(RESYNC, {0: ("3i", (2**30, 0, 0))})  # outside the view
    client.send(PING, {0: ("Q", 2**63 + 5)})
    client.receive_until(lambda: client.pongs == [2**63 + 5] and mirror.checked > checked)
    client.send(SET_VIEW, {0: ("3i", (0, 0, 0)), 1: ("3i", (1, 1, 1))})
    client.receive_until(lambda: all(coord == (0, 0, 0) for coord in mirror.chunks))
    assert mirror.mismatches == 0
    return mirror


def come_back(port, world):
    token = os.urandom(16)
    client = Client(port, world, token=token)
    client.receive_until(lambda: client.mirror is not None)
    assert client.results_kept == 512 and client.knows_client
    line = '{"cmd": "set_cells", "from": [0, 0, 0], "size": [1, 1, 1], "cell": "#"}'
    told = client.command(1, line)
    assert told[0] and client.command(1, line) == told and client.kinds[1] == AGAIN
    client.send(COMMAND, {0: ("Q", 2), 1: ("text", line)})
    since = client.since_tick
    client.socket.socket.close()  # before the answer; number 3 never leaves

    back = Client(port, world, token=token, last_seq=3, since_tick=since)
    back.receive_until(lambda: back.mirror is not None)
    assert back.knows_client
    back.send(ASK_RESULTS, {0: ("numbers", [1, 2, 3])})
    back.receive_until(lambda: len(back.results) == 3)
    assert back.results[1] == [told] and back.results[2][0][0] and not back.results[3][0][0]
    assert back.kinds[1] == AGAIN and back.kinds[2] in (NEW, AGAIN) and back.kinds[3] == NEVER_CAME
    assert back.command(3, line)[0] and back.kinds[3] == NEW

    second = Client(port, world, token=token, last_seq=3, since_tick=since)
    second.receive_until(lambda: second.mirror is not None)
    while back.receive():
        pass
    assert back.refused[0] == 7 and back.socket.close_code == 1008, back.refused
    stranger = Client(port, world, token=os.urandom(16), last_seq=3, since_tick=0)
    stranger.receive_until(lambda: stranger.mirror is not None)
    stranger.send(ASK_RESULTS, {0: ("numbers", [3])})
    stranger.receive_until(lambda: 3 in stranger.results)
    assert not stranger.knows_client and stranger.kinds[3] == UNKNOWN


def misbehave(port, world):
    client = Client(port, world, version=99)
    while client.receive():
        pass
    assert client.refused[0] == 1 and client.socket.close_code == 1008, client.refused
    client = Client(port, world)
    client.receive_until(lambda: client.mirror is not None)
    client.socket.send(b"\0" * 100)
    while client.receive():
        pass
    assert client.refused[0] == 2 and client.socket.close_code == 1008, client.refused


# --- The document's examples of columns

def check_examples():
    table = {line.split("|")[1].strip(): bytes.fromhex(line.split("`")[1])
             for line in DOCUMENT.splitlines() if line.startswith("| columns")}
    trace = []
    one = decode_columns(table["columns: one unit in cell 2"], CHANCES, AIR, trace)
    assert one == [i == 2 for i in range(CHUNK_CELLS)]
    for name, index, no, size, part, code, yes in trace[:10]:
        line = f"| {name}[{index}] | {no} | {size:08x} | {part:08x} | {code:08x} | {'yes' if yes else 'no'}:"
        assert line in DOCUMENT, line
    pond = decode_columns(table["columns: 64 cells of rock, 64 full, 64 of 3000, 3003, 3006 ..., air"], CHANCES, AIR)
    assert pond == [-1] * 64 + [4096] * 64 + [3000 + 3 * i for i in range(64)] + [0] * (CHUNK_CELLS - 192)
    later = decode_columns(table["columns: those 64 lose 40 units each, cell 175 gets 7 of them back"], CHANCES, pond)
    assert later == [cell - 40 * (128 <= i < 192) + 7 * (i == 175) for i, cell in enumerate(pond)]
    hill = decode_columns(table["columns of 16: cell [x, y, z] is rock if y <= (x + z) / 4"], CHANCES, later)
    assert hill == [-(i // 256 <= (i % 16 + i // 16 % 16) // 4) for i in range(CHUNK_CELLS)]
    rain = decode_columns(table["columns of 16: each third cell from 3,840 on of that gets 512 units"], CHANCES, hill)
    assert rain == [512 if i >= 3840 and i % 3 == 0 else cell for i, cell in enumerate(hill)]
    lesson = bytes.fromhex(re.search(r"`((?:[0-9a-f]{2} ?)+)` tells of two chances", DOCUMENT.replace("\n", " "))[1])
    told = {i: chance for i, chance in enumerate(read_lesson(lesson, DIGITS)) if chance != CHANCES[i]}
    assert told == {1: (64512, 8), 300: (256, 8)}, told


def slower(world):
    """A world's file with fewer ticks a second. This client takes a tenth of one to read a keyframe, and who falls behind
    is sent keyframes."""
    assert "[world]" in world
    return re.sub(r"^\[world\]$", f"[world]\ntick_rate = {TICK_RATE}",
                  re.sub(r"^tick_rate *=.*\n", "", world, flags=re.M), count=1, flags=re.M)


def main():
    check_examples()
    server_path, worlds = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as data:
        texts = [slower(open(world, encoding="utf-8").read()) for world in worlds]
        names = [re.search(r'^name *= *"([^"]+)"', text, re.M)[1] for text in texts]
        flags = []
        for name, text in zip(names, texts):
            path = os.path.join(data, name + ".toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            flags += ["--world", path]
        server = subprocess.Popen([server_path, "--listen", "127.0.0.1:0", "--data", data,
                                   "--tick-budget", "1000", *flags],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = int(server.stdout.readline().rsplit(":", 1)[1])
            sections = lessons = 0
            for name in names:
                mirror = look_at(port, name)
                lessons += mirror.lessons
                sections += mirror.sections_checked
                print(f"{name}: {mirror.checked} chunks and {mirror.sections_checked} sections compared")
            assert sections > 0, "one of the worlds must have pipes"
            assert lessons > 0, "no lesson was told"
            assert TAGS_SEEN >= {7, 8, 9, 10}, f"some codings of columns were not sent: {TAGS_SEEN}"
            come_back(port, names[0])
            misbehave(port, names[0])
            last = Client(port, names[0])
            last.receive_until(lambda: last.mirror is not None)
            server.send_signal(signal.SIGTERM)
            while last.receive():
                pass
            assert last.refused[0] == 5 and last.socket.close_code == 1001, last.refused
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
