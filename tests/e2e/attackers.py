"""Hostile clients for attack_test.py: each kind does one thing that no viewer does, again and again, and comes back
when the server ends its connection. They speak by protocol/README.md, where they speak at all.
"""
import asyncio
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../protocol"))
from document_flatbuffers import VERSION, client_message  # noqa: E402

HELLO, SET_VIEW, COMMAND, PING, RESYNC = range(1, 6)
UPGRADE = ("GET /worlds/{world} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")


def frame(data):
    """A whole message; its mask is of zeros, which any mask may be."""
    length = len(data)
    if length < 126:
        head = bytes([0x82, 0x80 | length])
    else:
        head = struct.pack(">BBH", 0x82, 0x80 | 126, length)
    return head + bytes(4) + data


def message(kind, fields):
    return frame(client_message(kind, fields))


def command(seq, line):
    return message(COMMAND, {0: ("Q", seq), 1: ("text", line)})


def view(low, size):
    return message(SET_VIEW, {0: ("iii", low), 1: ("iii", size)})


class Peer:
    """One connection of one attacker."""

    def __init__(self, reader, writer, target, dice):
        self.reader, self.writer, self.target, self.dice = reader, writer, target, dice

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def upgrade(self):
        await self.send(UPGRADE.format(**self.target).encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.split(b"\r\n")[0].decode())

    async def greet(self):
        await self.upgrade()
        await self.send(message(HELLO, {0: ("I", VERSION), 1: ("text", "an attacker")}))

    async def listen(self):
        """Until the server ends the connection."""
        while await self.reader.read(1 << 16):
            pass
        raise ConnectionError("ended")

    async def while_listening(self, attack):
        """The attack goes on until the server ends it."""
        listener = asyncio.ensure_future(self.listen())
        attacker = asyncio.ensure_future(attack())
        try:
            done, _ = await asyncio.wait({listener, attacker}, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        finally:
            for task in (listener, attacker):
                task.cancel()
            await asyncio.gather(listener, attacker, return_exceptions=True)


async def slow_handshake(peer):
    """A byte of the request now and then."""
    for byte in UPGRADE.format(**peer.target).encode():
        await peer.send(bytes([byte]))
        await asyncio.sleep(0.3)


async def garbage(peer):
    await peer.send(peer.dice.randbytes(20000))
    await peer.listen()


async def truncated_frame(peer):
    """Announces more than it sends, and waits."""
    await peer.greet()
    await peer.send(struct.pack(">BBH", 0x82, 0x80 | 126, 60000) + bytes(100))
    await peer.listen()


async def oversized_frame(peer):
    await peer.greet()
    await peer.send(struct.pack(">BBQ", 0x82, 0x80 | 127, 1 << 40) + bytes(50000))
    await peer.listen()


async def nonsense(peer):
    """Whole messages that mean nothing."""
    await peer.greet()
    await peer.send(frame(peer.dice.randbytes(3000)))
    await peer.listen()


async def nonsense_commands(peer):
    await peer.greet()

    async def flood():
        seq = 0
        while True:
            lines = ["", "{", "[" * 500, '{"cmd": "' + "x" * 200 + '"}', '{"cmd": "pour", "at": [1e99, 0, 0]}',
                     '{"cmd": "set_cells", "from": [0,0,0], "size": [2147483647,2147483647,2147483647], "cell": "~"}']
            await peer.send(b"".join(command(seq + i, line) for i, line in enumerate(lines)))
            seq += len(lines)
            await asyncio.sleep(0)
    await peer.while_listening(flood)


async def commands(peer):
    """Ones that apply, as many as leave."""
    await peer.greet()

    async def flood():
        seq = 0
        while True:
            line = '{"cmd": "remove_water", "from": [0,0,0], "size": [1,1,1]}'
            await peer.send(b"".join(command(seq + i, line) for i in range(50)))
            seq += 50
            await asyncio.sleep(0)
    await peer.while_listening(flood)


async def views_and_pings(peer):
    await peer.greet()

    async def flood():
        while True:
            views = [view((peer.dice.randrange(200), 0, 0), (peer.dice.randrange(1, 200), 100, 1)) for _ in range(20)]
            await peer.send(b"".join(views) + message(PING, {0: ("Q", 7)}) * 20)
            await asyncio.sleep(0)
    await peer.while_listening(flood)


async def liar(peer):
    """Says of every chunk that its copy is wrong."""
    await peer.greet()
    await peer.send(view((0, 0, 0), (1 << 20, 1 << 20, 1 << 20)))

    async def flood():
        while True:
            chunks = [(peer.dice.randrange(4), peer.dice.randrange(4), 0) for _ in range(40)]
            await peer.send(b"".join(message(RESYNC, {0: ("iii", chunk)}) for chunk in chunks))
            await asyncio.sleep(0.001)
    await peer.while_listening(flood)


async def deaf(peer):
    """Wants all, and reads nothing."""
    await peer.greet()
    await peer.send(view((0, 0, 0), (1 << 20, 1 << 20, 1 << 20)))
    peer.writer.transport.pause_reading()
    while True:
        await asyncio.sleep(1)
        await peer.send(message(PING, {0: ("Q", 1)}))


KINDS = [slow_handshake, garbage, truncated_frame, oversized_frame, nonsense, nonsense_commands, commands,
         views_and_pings, liar, deaf]


async def attack(number, target, counts):
    kind = KINDS[number % len(KINDS)]
    dice = random.Random(number)
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", target["port"], limit=1 << 16)
            counts[kind.__name__] = counts.get(kind.__name__, 0) + 1
            try:
                await kind(Peer(reader, writer, target, dice))
            finally:
                writer.close()
        except (OSError, EOFError, asyncio.LimitOverrunError):
            counts["ended"] = counts.get("ended", 0) + 1
        await asyncio.sleep(0.1)


async def attack_for(seconds, count, target, counts):
    tasks = [asyncio.ensure_future(attack(number, target, counts)) for number in range(count)]
    done, _ = await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        if not task.cancelled() and task.exception():
            raise task.exception()


def main(port, world, count, seconds, idle=""):
    """Prints how many connections each kind made, and how many the server ended. With `idle` the attackers take what all
    others leave of the machine, as if they had others of their own: on a busy one that may be nothing.
    """
    if idle:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    counts = {}
    asyncio.run(attack_for(float(seconds), int(count), {"port": int(port), "world": world}, counts))
    for name in sorted(counts):
        print(name, counts[name])


if __name__ == "__main__":
    main(*sys.argv[1:])
