"""Chunks by columns, as protocol/README.md tells of them: for document_client.py, and written like it from
the document alone."""

AT_START = 3
TOLD = 8
LEVELS = [256, 1024, 2731, 5461, 9830, 16384, 22938, 29491, 36045, 42598, 49152, 55706, 60075, 62805, 64512, 65280]
SIZES = [("coarse", 1), ("column", 4), ("group", 32), ("same", 4), ("changed", 256), ("missed", 84), ("negative", 63),
         ("longer", 192), ("second", 16)]
FULL = 4096


def read_table(document):
    """The digits of the chances: the document's indented lines of nothing else."""
    lines = document.split("**The chances**")[1].split("They are called")[0].splitlines()
    digits = "".join(line.strip() for line in lines if line.startswith("    ") and " " not in line.strip())
    assert len(digits) == sum(size for _, size in SIZES), len(digits)
    return digits


def wrap(value):
    return (value + 2**31) % 2**32 - 2**31


def cut(gain):
    return max(-2**20, min(gain, 2**20))


def water(cell):
    return max(cell, 0)


def first_chances(digits):
    return [(LEVELS[int(digit, 16)], AT_START) for digit in digits]


def read_lesson(data, digits):
    """The chances that a delta begins with from here on."""
    decisions = Decisions(data, 0, None, [("told", 1)], [(32768, 0)])
    chances = [(LEVELS[decisions.plain(4)], TOLD) if decisions.decide("told", 0) else chance
               for chance in first_chances(digits)]
    decisions.finish()
    return chances


class Decisions:
    """`trace`: a list that gets what was decided, or None."""

    def __init__(self, data, at, trace, sizes, start_chances):
        self.data, self.at, self.trace = data, at, trace
        self.range, self.code = 2**32 - 1, 0
        for _ in range(4):
            self.code = self.code << 8 | self.next()
        self.chances, start = {}, 0
        for name, size in sizes:
            self.chances[name] = [list(chance) for chance in start_chances[start:start + size]]
            start += size

    def finish(self):
        if not len(self.data) <= self.at <= len(self.data) + 4:
            raise ValueError("bytes that are cut off or too many")

    def next(self):
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def move_on(self):
        while self.range < 2**24:
            self.range <<= 8
            self.code = self.code << 8 | self.next()

    def decide(self, name, index):
        chance = self.chances[name][index]
        no, seen = chance
        part = (self.range >> 12) * (no >> 4)
        shift = [1, 1, 2, 2, 3, 3, 3, 3][seen] if seen < 8 else 4 if seen < 20 else 5
        yes = self.code >= part
        if self.trace is not None:
            self.trace.append((name, index, no, self.range, part, self.code, yes))
        if yes:
            self.code -= part
            self.range -= part
            chance[0] = max(no - (no >> shift), 32)
        else:
            self.range = part
            chance[0] = min(no + ((65536 - no) >> shift), 65504)
        chance[1] = min(seen + 1, 31)
        self.move_on()
        return yes

    def plain(self, count):
        value = 0
        for _ in range(count):
            self.range >>= 1
            one = self.code >= self.range
            if one:
                self.code -= self.range
            value = value << 1 | one
            self.move_on()
        return value


class ColumnDecoder:
    def __init__(self, decisions, height):
        self.coder, self.height = decisions, height
        self.misses = [[64] * 7, [64] * 7]
        self.last_sign = 0
        self.step = decisions.plain(4) if decisions.decide("coarse", 0) else 0

    def decode(self, cells):
        width = len(cells) // self.height
        groups = self.height // 8
        self.left = {y: 0 for y in range(-1, self.height + 1)}
        self.left_gained, self.earlier_gained = [0] * self.height, [0] * self.height
        self.left_changed, self.left_same = [False] * groups, [False] * groups
        before = before_that = False
        for i in range(width):
            self.base = [cells[i + y * width] for y in range(self.height)] + [-1] * 4
            self.d = {y: 0 for y in range(-1, self.height + 1)}
            self.gained = [0] * self.height
            self.group_changed, self.same = [False] * groups, [False] * groups
            changed = self.coder.decide("column", before + 2 * before_that)
            before, before_that = changed, before
            if changed:
                self.column()
                for y in range(self.height):
                    cells[i + y * width] = wrap(self.base[y] + self.d[y])
            self.earlier_gained = self.left_gained if changed else [0] * self.height
            self.left, self.left_gained = self.d, self.gained
            self.left_changed, self.left_same = self.group_changed, self.same

    def runs(self):
        floor = 0
        for y in range(self.height + 1):
            if self.base[y] < 0:  # above the top too
                if y > floor:
                    yield floor, y
                floor = y + 1

    def refill(self, gains):
        refilled = self.base[:self.height]
        self.floor, self.surface = {}, {}
        for floor, end in self.runs():
            surface = next((y for y in range(floor, end) if self.base[y] < FULL), end)
            gain = cut(gains[surface if surface < end else end - 1])
            volume = FULL * (surface - floor) + (self.base[surface] if surface < end else 0) + gain
            for y in range(floor, end):
                over = volume - FULL * (y - floor)
                if self.base[y] <= FULL and (y <= surface or over > 0):
                    refilled[y] = max(0, min(over, FULL))
                self.floor[y], self.surface[y] = floor, surface
        return refilled

    def column(self):
        self.looked_at = {}
        self.refilled = self.refill(self.left_gained)
        self.gone_on = self.refill([cut(g) + ((cut(g) - cut(h)) >> 1)
                                    for g, h in zip(self.left_gained, self.earlier_gained)])
        for group in range(self.height // 8):
            self.group(group)
        for floor, end in self.runs():
            gain = wrap(sum(self.d[y] for y in range(floor, end)))
            for y in range(floor, end):
                self.gained[y] = gain

    def group(self, group):
        cells = range(8 * group, 8 * group + 8)
        left, below = self.left_changed[group], group > 0
        if left and self.coder.decide("same", (below and self.same[group - 1]) + 2 * self.left_same[group]):
            self.same[group] = self.group_changed[group] = True
            for y in cells:
                self.d[y] = self.left[y]
            return
        around = below and self.left_changed[group - 1] or any(self.left_changed[group + 1:group + 2])
        foreseen = any(self.refilled[y] != self.base[y] for y in cells)
        partly = any(self.base[y] > 0 and self.base[y] != FULL for y in cells)
        index = left + 2 * around + 4 * (below and self.group_changed[group - 1]) + 8 * foreseen + 16 * partly
        self.group_changed[group] = self.coder.decide("group", index)
        for y in cells if self.group_changed[group] else []:
            self.cell(y, left)

    def is_broken(self, y):
        """Whether a cell of the run below y has come to hold less than it can."""
        floor = self.floor[y]
        at, broken = self.looked_at.get(floor, (floor, False))
        while at < y and not broken:
            broken = wrap(self.base[at] + self.d[at]) < FULL
            at += 1
        self.looked_at[floor] = at, broken
        return broken

    def foreseen(self, y):
        """r and e."""
        if self.base[y] < 0:
            return self.base[y], self.base[y]
        if self.is_broken(y):
            r = 0 if y <= self.surface[y] else self.base[y]
            return r, r
        return self.refilled[y], self.gone_on[y]

    def cell(self, y, left_group):
        base, d, left = self.base, self.d, self.left
        r, e = self.foreseen(y)
        kind = 0 if base[y] < 0 else 1 if base[y] == 0 else 2 if base[y] < FULL else 3
        index = ((left[y] != 0) + 2 * (left[y + 1] != 0 or left[y - 1] != 0) + 4 * (d[y - 1] != 0)
                 + 8 * (r != base[y]) + 16 * kind + 64 * (base[y + 1] >= 0 and base[y + 1] != base[y])
                 + 128 * left_group)
        if not self.coder.decide("changed", index):
            return
        others = [wrap(value) >> self.step for value in
                  (r - base[y], left[y], water(base[y + 1]) - base[y], water(base[y + 2]) - base[y],
                   water(base[y + 4]) - base[y], d[y - 1], e - base[y])]
        misses = self.misses[r != base[y]]
        best = misses.index(min(misses))
        t = wrap(others[best] + self.rest(best, min((misses[best] >> 1).bit_length(), 11), left[y]))
        d[y] = wrap(t << self.step)
        for i in range(7):
            misses[i] = (misses[i] >> 1) + min(abs(wrap(t - others[i])), 4096)

    def rest(self, guess, c, left):
        decide = self.coder.decide
        if not decide("missed", 12 * guess + c):
            return 0
        side = 0 if left == 0 else 1 if left < 0 else 2
        negative = decide("negative", 9 * guess + 3 * side + self.last_sign)
        self.last_sign = 1 if negative else 2
        n = 1
        while n < 32 and decide("longer", 16 * c + min(n, 15)):
            n += 1
        size = 1
        if n > 1:
            size = 2 + decide("second", min(n, 15))
            size = size << (n - 2) | self.coder.plain(n - 2)
        return -size if negative else size


def decode_columns(payload, chances, held, trace=None):
    """What the payload makes of the cells that are held; the tag is 7 to 10."""
    cells = [0] * 4096 if payload[0] % 2 == 1 else list(held)
    decisions = Decisions(payload, 1, trace, SIZES, chances)
    ColumnDecoder(decisions, 64 if payload[0] < 9 else 16).decode(cells)
    decisions.finish()
    return cells
