// Room in tables that commands let grow, without one command paying for all before it.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace sluice::sim {

/// Tables up to here double: copying them takes a fraction of a millisecond.
inline constexpr std::size_t kDoublingEntries = std::size_t{1} << 16;

/// Makes room for `entries` in a table that never holds more than `most`. A large one takes the
/// addresses for all of them at once; the memory behind these comes as they are filled. So it is
/// never copied in one tick.
template <class T>
void grow_ahead(std::vector<T>& table, std::size_t entries, std::size_t most,
                std::size_t doubling = kDoublingEntries) {
  if (entries <= table.capacity() || entries <= doubling || entries > most) return;
  try {
    table.reserve(most);
  } catch (const std::bad_alloc&) {
    // A machine that gives no addresses without memory: the table doubles.
  }
}

}  // namespace sluice::sim
