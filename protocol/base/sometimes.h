// Marks of what must happen now and then while the whole system is hunted through for faults
// (tests/hunt/hunt.md): paths that only a rare chain of events takes. A sweep in which a marked
// place was never reached has hunted in vain there, and fails. In what ships a mark is nothing.
#pragma once

#ifdef SLUICE_HUNT
namespace sluice {
/// Defined by the hunter.
void sometimes(const char* what);
}  // namespace sluice
#define SLUICE_SOMETIMES(what) ::sluice::sometimes(what)
#else
#define SLUICE_SOMETIMES(what) static_cast<void>(0)
#endif
