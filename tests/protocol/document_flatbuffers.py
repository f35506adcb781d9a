"""The document itself, and FlatBuffers, for the client that is written by it (document_client.py)."""
import os
import re
import struct

with open(os.path.join(os.path.dirname(__file__), "../../protocol/README.md"), encoding="utf-8") as file:
    DOCUMENT = file.read()
VERSION = int(re.search(r"protocol.s version, now (\d+)", DOCUMENT)[1])


# --- FlatBuffers: https://flatbuffers.dev/internals; a message is its root's offset, its file
# identifier, and tables that point forwards.

def put_table(out, fields):
    """fields: slot -> (format, value); formats of struct, or "table", "text", "bytes" and "numbers"."""
    apart = ("table", "text", "bytes", "numbers")
    size_of = {slot: 4 if kind in apart else struct.calcsize("<" + kind)
               for slot, (kind, _) in fields.items()}
    slots = max(fields, default=-1) + 1
    place, end = {}, 4
    for slot in sorted(fields, key=lambda s: -min(size_of[s], 8)):
        kind = fields[slot][0]
        align = 4 if kind in apart or len(kind) > 1 else size_of[slot]
        end += -end % align
        place[slot] = end
        end += size_of[slot]
    vtable = struct.pack("<HH", 4 + 2 * slots, end)
    vtable += b"".join(struct.pack("<H", place.get(slot, 0)) for slot in range(slots))
    out += bytes(-(len(out) + len(vtable)) % 8)
    start = len(out) + len(vtable)
    out += vtable + struct.pack("<i", len(vtable)) + bytes(end - 4)
    for slot, (kind, value) in fields.items():
        at = start + place[slot]
        if kind not in apart:
            struct.pack_into("<" + kind, out, at, *(value if isinstance(value, tuple) else (value,)))
            continue
        if kind == "text":
            out += bytes(-len(out) % 4)
            child = len(out)
            data = value.encode()
            out += struct.pack("<I", len(data)) + data + b"\0"
        elif kind == "bytes":
            out += bytes(-len(out) % 4)
            child = len(out)
            out += struct.pack("<I", len(value)) + value
        elif kind == "numbers":  # of 64 bits, which are aligned; their count stands before them
            out += bytes((4 - len(out)) % 8)
            child = len(out)
            out += struct.pack("<I%dQ" % len(value), len(value), *value)
        else:
            child = put_table(out, value)
        struct.pack_into("<I", out, at, child - at)
    return start


def client_message(kind, fields):
    out = bytearray(b"\0\0\0\0SLUC")
    root = put_table(out, {0: ("B", kind), 1: ("table", fields)})
    struct.pack_into("<I", out, 0, root)
    return bytes(out)


class Table:
    """A table of a received message. Any access out of range raises struct.error or IndexError."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        self.slots = (struct.unpack_from("<H", data, self.vtable)[0] - 4) // 2

    def find(self, slot):
        if slot >= self.slots:
            return None
        offset = struct.unpack_from("<H", self.data, self.vtable + 4 + 2 * slot)[0]
        return self.at + offset if offset else None

    def number(self, slot, kind, default=0):
        at = self.find(slot)
        return default if at is None else struct.unpack_from("<" + kind, self.data, at)[0]

    def structure(self, slot, kind):
        at = self.find(slot)
        return None if at is None else struct.unpack_from("<" + kind, self.data, at)

    def follow(self, slot):
        at = self.find(slot)
        return None if at is None else at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, slot):
        at = self.follow(slot)
        return None if at is None else Table(self.data, at)

    def bytes(self, slot):
        at = self.follow(slot)
        if at is None:
            return b""
        size = struct.unpack_from("<I", self.data, at)[0]
        if at + 4 + size > len(self.data):
            raise IndexError("a vector is cut off")
        return self.data[at + 4:at + 4 + size]

    def text(self, slot):
        return self.bytes(slot).decode()

    def structures(self, slot, kind, size):
        at = self.follow(slot)
        if at is None:
            return []
        count = struct.unpack_from("<I", self.data, at)[0]
        return [struct.unpack_from("<" + kind, self.data, at + 4 + size * i) for i in range(count)]
