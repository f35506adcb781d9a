#!/usr/bin/env python3
"""Holds protocol/README.md to what a server really sends.

This client was written from the document and the two schemas alone: its own FlatBuffers, WebSocket,
codec and mirror, none of the project's code. It starts a server on the worlds that it is given, looks
at each of them, changes it, misbehaves a little as the document allows, and compares every checksum.
What it cannot do by the document is the document's fault.

Usage: document_client.py SERVER WORLD.toml...
"""
import base64
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import xxhash

from document_columns import decode_columns, first_chances, read_lesson, read_table
from document_flatbuffers import DOCUMENT, VERSION, Table, client_message

CHUNK_CELLS = 4096
NO_PLACE = -(2**31)
HELLO, SET_VIEW, COMMAND, PING, RESYNC, RESYNC_PIPES, ASK_RESULTS = range(1, 8)
NEW, AGAIN, UNKNOWN, NEVER_CAME = range(4)
WELCOME, REFUSED, TICK, RESULT, PONG = range(1, 6)


# --- Rows of numbers

def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            break
        if shift >= 35:
            raise ValueError("a varint of more than five bytes")
    if value >= 2**32:
        raise ValueError("a varint of more than 32 bits")
    return value, at


def unzigzag(value):
    return value >> 1 if value % 2 == 0 else -(value >> 1) - 1


def wrap(value):
    return (value + 2**31) % 2**32 - 2**31


def read_row(data, at, length):
    """The groups from `at` to the end: a row of `length` differences."""
    row = [0] * length
    cell = 0
    while at < len(data):
        gap, at = read_varint(data, at)
        count, at = read_varint(data, at)
        cell += gap
        if count == 0 or cell + count > length:
            raise ValueError("a group that is empty or past the end")
        for _ in range(count):
            value, at = read_varint(data, at)
            row[cell] = unzigzag(value)
            cell += 1
    return row


def checksum(words):
    return xxhash.xxh3_64_intdigest(struct.pack("<%di" % CHUNK_CELLS, *words))


AIR = [0] * CHUNK_CELLS
TAGS_SEEN = set()

DIGITS = read_table(DOCUMENT)
CHANCES = first_chances(DIGITS)


def decode_chunk(payload, held, told):
    TAGS_SEEN.add(payload[0])
    if 7 <= payload[0] <= 10:
        return decode_columns(payload, told if payload[0] % 2 == 0 else CHANCES, held)
    row = read_row(payload, 1, CHUNK_CELLS)
    if payload[0] == 1:
        before = 0
        for i in range(CHUNK_CELLS):
            before = row[i] = wrap(before + row[i])
        return row
    if payload[0] == 2:
        return [wrap(a + b) for a, b in zip(held, row)]
    raise ValueError("an unknown tag")


# --- Sections of pipe networks

class Section:
    def __init__(self):
        self.plan, self.names, self.values = b"", {}, []

    def read(self, key, payload):
        if payload[0] == 2:
            row = read_row(payload, 1, len(self.values))
            self.values = [wrap(a + b) for a, b in zip(self.values, row)]
            return
        if payload[0] != 1:
            raise ValueError("an unknown tag")
        at, count = self.read_plan(key, payload)
        self.plan = payload[1:at]
        self.values = read_row(payload, at, count)

    def read_plan(self, key, data):
        placed = key[0] != NO_PLACE
        at = 1

        def number():
            nonlocal at
            value, at = read_varint(data, at)
            return value

        def text():
            nonlocal at
            length = number()
            at += length
            return data[at - length:at].decode("ascii")

        fluids = [text() for _ in range(number())]
        index, nodes = -1, number()
        self.names = {}
        for _ in range(nodes):
            index += 1 + number()
            self.names[index] = text()
            fluids[number()]
            flags = number()
            for _ in range(4):  # capacity, height, base, throughput
                number()
            if flags & 3 == 1:
                number()  # rate
            if placed:
                number()  # cell
        links = number()
        for _ in range(links):
            number()  # from
            flags = number()
            if flags & 2:
                for _ in range(0 if flags & 4 else 3):
                    number()
                number()  # part
            number()  # to
        ports = number()
        for _ in range(ports):
            for _ in range(6):  # node, kind, x, y, z, rate
                number()
        return at, nodes + links + ports

    def checksum(self):
        plan = self.plan + bytes(-len(self.plan) % 4)
        words = [len(self.plan), len(self.values)]
        words += struct.unpack("<%di" % (len(plan) // 4), plan)
        words += self.values
        words += [0] * (CHUNK_CELLS - len(words) % CHUNK_CELLS)
        total = 0
        for begin in range(0, len(words), CHUNK_CELLS):
            total = (total << 1 | total >> 63) & (2**64 - 1)
            total ^= checksum(words[begin:begin + CHUNK_CELLS])
        return total


# --- The mirror

class Mirror:
    def __init__(self, welcome):
        self.size = welcome.structure(3, "3i")
        self.logs = tuple(welcome.number(slot, "B") for slot in (4, 5, 6))
        self.tick = 0
        self.water = 0
        self.chunks, self.sections = {}, {}
        self.told = CHANCES
        self.checked = self.sections_checked = self.mismatches = self.lessons = 0

    def apply(self, tick):
        number = tick.number(0, "Q")
        assert number >= self.tick, "the tick fell"
        self.tick = number
        self.water = tick.number(1, "q")
        for coord in tick.structures(9, "3i", 12):
            self.chunks.pop(coord, None)
        if tick.bytes(17):
            self.lessons += 1
            self.told = read_lesson(tick.bytes(17), DIGITS)
        payloads, at = tick.bytes(8), 0
        for x, y, z, size in tick.structures(7, "3iI", 16):
            held = self.chunks.get((x, y, z), AIR)
            self.chunks[x, y, z] = decode_chunk(payloads[at:at + size], held, self.told)
            at += size
        for x, y, z, _, expected in tick.structures(10, "3iIQ", 24):
            self.checked += 1
            self.mismatches += checksum(self.chunks.get((x, y, z), AIR)) != expected
        for key in tick.structures(13, "3iI", 16):
            self.sections.pop(key, None)
        payloads, at = tick.bytes(12), 0
        for x, y, z, part, size in tick.structures(11, "3iII", 20):
            section = self.sections.setdefault((x, y, z, part), Section())
            section.read((x, y, z, part), payloads[at:at + size])
            at += size
        for x, y, z, part, expected in tick.structures(14, "3iIQ", 24):
            self.sections_checked += 1
            section = self.sections.get((x, y, z, part))
            self.mismatches += (section.checksum() if section else 0) != expected

    def cell(self, x, y, z):
        log_x, log_y, log_z = self.logs
        chunk = self.chunks.get((x >> log_x, y >> log_y, z >> log_z), AIR)
        inside = [p & ((1 << log) - 1) for p, log in zip((x, y, z), self.logs)]
        return chunk[((inside[1] << log_z | inside[2]) << log_x) | inside[0]]


# --- WebSocket (RFC 6455)

class Socket:
    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(65536)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        self.close_code = None

    def take(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError
            self.buffer += more
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, data, opcode=2):
        mask = os.urandom(4)
        length = len(data)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += struct.pack(">BH", 0x80 | 126, length)
        else:
            head += struct.pack(">BQ", 0x80 | 127, length)
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
        self.socket.sendall(head + mask + masked)

    def receive(self):
        """A message's bytes; None after the close frame."""
        data = b""
        while True:
            first, second = self.take(2)
            length = second & 0x7f
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.take(8))[0]
            payload = self.take(length)
            opcode = first & 0x0f
            if opcode == 8:
                self.close_code = struct.unpack(">H", payload[:2])[0]
                return None
            if opcode == 9:
                self.send(payload, 10)
            elif opcode in (0, 2):
                data += payload
                if first & 0x80:
                    return data


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
    client.receive_until(lambda: mirror.tick >= begin + 60)
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


def main():
    check_examples()
    server_path, worlds = sys.argv[1], sys.argv[2:]
    names = [re.search(r'^name *= *"([^"]+)"', open(world).read(), re.M)[1] for world in worlds]
    with tempfile.TemporaryDirectory() as data:
        flags = [flag for world in worlds for flag in ("--world", world)]
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
