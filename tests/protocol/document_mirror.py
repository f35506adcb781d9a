"""What a client by protocol/README.md holds of a world: rows, pipe sections, chunks; for document_client.py, and
written like it from the document alone."""
import struct

import xxhash

from document_columns import decode_columns, first_chances, read_lesson, read_table
from document_flatbuffers import DOCUMENT

CHUNK_CELLS = 4096
NO_PLACE = -(2**31)


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
