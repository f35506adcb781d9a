#!/usr/bin/env python3
"""Goal: who comes to a large world soon sees a useful picture of it. Method: a world of 16 million cells with caves and
pools; clients connect, one after the other and the first to a world that nobody watches, with views of 128x96 cells
each, until a frame has brought all of the view.

Usage: first_frame_test.py SERVER [SECONDS], to wait before the first one, until pools have come to rest. Prints bytes and
milliseconds; of both, bytes alone are judged.
"""
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../protocol"))
import document_client as client  # noqa: E402

SIDE = 4096
MOST_BYTES = 8 << 10
VIEWS = 40


def write_world(path):
    dice = random.Random(7)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'[world]\nname = "large"\nsize = [{SIDE}, {SIDE}, 1]\nseed = 7\n')
        fills = [((0, 0), (SIDE, SIDE * 3 // 4), "#")]
        for _ in range(12000):
            size = (dice.randint(3, 90), dice.randint(3, 30))
            at = (dice.randint(0, SIDE - size[0]), dice.randint(0, SIDE * 3 // 4 - size[1]))
            fills.append((at, size, "."))
            if dice.random() < 0.4:  # a pool on its floor
                fills.append((at, (size[0], max(1, size[1] // 3)), "~"))
        for (x, y), (width, height), cell in fills:
            file.write(f'[[fill]]\nfrom = [{x}, {y}, 0]\nsize = [{width}, {height}, 1]\ncell = "{cell}"\n')


def look(port, low):
    """Milliseconds from the connection's beginning to the end of a frame that brought chunks, and all bytes till then."""
    begin = time.perf_counter()
    socket = client.Socket(port, "/worlds/large")
    socket.send(client.client_message(client.HELLO, {0: ("I", client.VERSION), 1: ("text", "first frame")}))
    size = len(socket.receive())
    socket.send(client.client_message(client.SET_VIEW, {0: ("iii", low + (0,)), 1: ("iii", (128, 96, 1))}))
    mirror_chunks = 0
    while mirror_chunks == 0:
        data = socket.receive()
        size += len(data)
        root = client.Table(data, struct.unpack_from("<I", data)[0])
        if root.number(0, "B") == client.TICK:
            at = root.table(1).follow(7)  # its chunks
            mirror_chunks = 0 if at is None else struct.unpack_from("<I", data, at)[0]
    took = (time.perf_counter() - begin) * 1e3
    socket.socket.close()
    return took, size, mirror_chunks


def main(program, wait=0):
    dice = random.Random(8)
    with tempfile.TemporaryDirectory() as folder:
        write_world(folder + "/large.toml")
        server = subprocess.Popen([program, "--world", folder + "/large.toml", "--data", folder + "/data", "--listen",
                                   "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = next(int(line.rsplit(":", 1)[1]) for line in server.stdout if line.startswith("listening on"))
            time.sleep(float(wait))
            seen = [look(port, (dice.randrange(0, SIDE - 128), dice.randrange(0, SIDE * 3 // 4 - 96)))
                    for _ in range(VIEWS)]
        finally:
            server.terminate()
            server.wait(60)
    times, sizes, chunks = zip(*seen)
    print(f"the first: {times[0]:.1f} ms, {sizes[0]} bytes; of {VIEWS}: {statistics.median(times):.1f} ms and "
          f"{statistics.median(sizes):.0f} bytes in the middle, {max(times):.1f} ms and {max(sizes)} bytes at most; "
          f"{min(chunks)} to {max(chunks)} chunks")
    assert max(sizes) <= MOST_BYTES, f"{max(sizes)} bytes are more than {MOST_BYTES}"
    assert min(chunks) >= 4, "a view lies in four chunks at the least"


if __name__ == "__main__":
    main(*sys.argv[1:])
