#include "server/record/packing.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace sluice::record {

namespace {

constexpr std::byte kStored{0};
constexpr std::byte kZstd{1};
// Below this zstd's frame costs more than it can save.
constexpr std::size_t kWorthCompressing = 64;
// A block of a frame has at least a header and a byte, and holds at most ZSTD_BLOCKSIZE_MAX.
constexpr std::size_t kLeastBlockBytes = 4;

/// The most that a frame of so many bytes can hold.
std::uint64_t most_unpacked(std::size_t frame_bytes) {
  return std::uint64_t{frame_bytes / kLeastBlockBytes} * ZSTD_BLOCKSIZE_MAX;
}

// zstd asks the processor what it is whenever it makes a context. In a virtual machine each such
// question goes to the host and takes tens of microseconds, longer than to pack or unpack most of
// what is recorded: so each thread keeps its contexts.
template <class Context>
Context& kept(std::unique_ptr<Context, std::size_t (*)(Context*)>& context, Context* (*make)()) {
  if (context == nullptr) context.reset(make());
  if (context == nullptr) throw std::bad_alloc();
  return *context;
}

ZSTD_CCtx& packing_context() {
  thread_local std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(nullptr,
                                                                               ZSTD_freeCCtx);
  return kept(context, ZSTD_createCCtx);
}

ZSTD_DCtx& unpacking_context() {
  thread_local std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(nullptr,
                                                                               ZSTD_freeDCtx);
  return kept(context, ZSTD_createDCtx);
}

void put_all(std::span<const std::byte> bytes, Bytes& out) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

void pack(std::span<const std::byte> bytes, int level, Bytes& out) {
  if (bytes.size() >= kWorthCompressing) {
    Bytes frame(ZSTD_compressBound(bytes.size()));
    const std::size_t size = ZSTD_compressCCtx(&packing_context(), frame.data(), frame.size(),
                                               bytes.data(), bytes.size(), level);
    SLUICE_ASSERT(!ZSTD_isError(size));
    if (size + 8 < bytes.size()) {
      out.push_back(kZstd);
      append_varint(bytes.size(), out);
      put_all({frame.data(), size}, out);
      return;
    }
  }
  out.push_back(kStored);
  put_all(bytes, out);
}

Result<Bytes> unpack(std::span<const std::byte> packed, std::size_t maximum_size) {
  if (packed.empty()) return Error{"is empty"};
  const std::byte codec = packed.front();
  ByteReader reader(packed.subspan(1));
  if (codec == kStored) {
    if (packed.size() - 1 > maximum_size) return Error{"is longer than allowed"};
    return Bytes(packed.begin() + 1, packed.end());
  }
  if (codec != kZstd) {
    return Error{"is packed by the unknown codec " + std::to_string(std::to_integer<int>(codec)) +
                 " (known: 0 stored, 1 zstd)"};
  }
  const std::uint64_t size = reader.varint();
  const std::span<const std::byte> frame = reader.rest();
  // A size is believed only as far as the frame can bear it out: memory follows the input.
  if (reader.failed() || size > maximum_size || size > most_unpacked(frame.size())) {
    return Error{"states an impossible size"};
  }
  Bytes bytes(size);
  const std::size_t written = ZSTD_decompressDCtx(&unpacking_context(), bytes.data(), bytes.size(),
                                                  frame.data(), frame.size());
  // No memory is not damage.
  if (ZSTD_getErrorCode(written) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (ZSTD_isError(written)) {
    return Error{std::string("does not unpack (zstd: ") + ZSTD_getErrorName(written) + ")"};
  }
  if (written != size) return Error{"unpacks to another size than it states"};
  return bytes;
}

Bytes content_hash(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  const auto digits = std::as_bytes(std::span(canonical.digest));
  return {digits.begin(), digits.end()};
}

std::int64_t row_checksum(std::uint64_t number, std::span<const std::byte> first,
                          std::span<const std::byte> second) {
  Bytes head;
  head.reserve(3 * sizeof(std::uint64_t));
  put_u64(number, head);
  put_u64(first.size(), head);
  put_u64(second.size(), head);
  // Chained by seed rather than joined: a row may be many megabytes.
  std::uint64_t sum = XXH3_64bits(head.data(), head.size());
  sum = XXH3_64bits_withSeed(first.data(), first.size(), sum);
  sum = XXH3_64bits_withSeed(second.data(), second.size(), sum);
  return static_cast<std::int64_t>(sum);
}

bool mend_row(std::uint64_t number, Bytes& first, Bytes& second, std::int64_t checksum,
              std::uint64_t& budget) {
  const auto differs = [&] {
    return static_cast<std::uint64_t>(row_checksum(number, first, second) ^ checksum);
  };
  const auto mend = [&](Bytes& bytes) {
    for (std::byte& byte : bytes) {
      for (int bit = 0; bit < 8; ++bit) {
        const std::byte before = std::exchange(byte, byte ^ std::byte(1U << bit));
        if (differs() == 0) return true;
        byte = before;
      }
    }
    return false;
  };
  if (std::popcount(differs()) <= 1) return true;
  const std::uint64_t whole = first.size() + second.size();
  const std::uint64_t hashed = 8 * whole * whole;
  if (hashed > std::min(budget, kMendingOfARow)) return false;
  budget -= hashed;
  return mend(second) || mend(first);
}

}  // namespace sluice::record
