"""Makes the sources that the hunter is built of: copies of the product's, with the bugs of plants.py
in them, asleep, and a list of the places marked with SLUICE_SOMETIMES.

Usage: plant.py ROOT OUT SOURCE...   Sources relative to ROOT; the copies keep their paths below OUT.
A plant whose text is no longer found exactly once is an error that names it: whoever changed the
product's source there changes the plant, too.
"""

import pathlib
import re
import sys

from plants import PLANTS

HEADER = '#include "tests/hunt/planted.h"\n'


def planted(name, text, plants):
    for number, plant in plants:
        found = text.count(plant.find)
        if found != 1:
            raise SystemExit(f"tests/hunt/plants.py: the plant '{plant.name}' fits {found} places in {name}; "
                             "it must fit one")
        text = text.replace(plant.find, plant.replace.replace("PLANTED", f"::sluice::hunt::planted({number})"))
    return HEADER + text if plants else text


def write(path, text):
    """Only where it changes, so that nothing is built anew without need."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sources = sys.argv[3:]
    marks = set()
    for name in sources:
        text = (root / name).read_text()
        marks.update(re.findall(r'SLUICE_SOMETIMES\("([^"]*)"\)', text))
        mine = [(number, plant) for number, plant in enumerate(PLANTS) if plant.file == name]
        write(out / name, planted(name, text, mine))
    lost = {plant.file for plant in PLANTS} - set(sources)
    if lost:
        raise SystemExit(f"tests/hunt/plants.py: not among the hunter's sources: {sorted(lost)}")
    unmarked = sorted(str(path.relative_to(root)) for part in ("server", "protocol", "client_stub")
                      for path in (root / part).rglob("*.[ch]*")
                      if path.is_file() and path.suffix in (".cpp", ".h") and re.search(r'SLUICE_SOMETIMES\("', path.read_text())
                      and str(path.relative_to(root)) not in sources)
    if unmarked:
        raise SystemExit(f"tests/hunt/CMakeLists.txt: these have marks, and are not among the hunter's sources: {unmarked}")
    rows = "".join(f"    {{{quoted(p.name)}, {quoted(p.what)}, {p.seeds}, {quoted(p.focus)}}},\n" for p in PLANTS)
    places = "".join(f"    {quoted(mark)},\n" for mark in sorted(marks))
    write(out / "lists.cpp", f"""// Made by plant.py.
#include "tests/hunt/planted.h"
#include "tests/hunt/sometimes.h"

namespace sluice::hunt {{

std::span<const Plant> plants() {{
  static constexpr Plant kPlants[] = {{
{rows}  }};
  return kPlants;
}}

std::span<const char* const> marked_places() {{
  static constexpr const char* kPlaces[] = {{
{places}  }};
  return kPlaces;
}}

}}  // namespace sluice::hunt
""")


if __name__ == "__main__":
    main()
