#include "server/host/owned_file.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "server/access/token.h"
#include "server/formats/world_file.h"
#include "server/host/visitor_mark.h"
#include "server/host/write_whole.h"
#include "server/record/byte_io.h"
#include "server/record/reader.h"

namespace sluice::host {

namespace {

constexpr std::string_view kHead = "sluice owners 1\n";
constexpr std::size_t kHashDigits = 64;

struct Kept {
  std::uint64_t tick = 0;
  sim::Digest digest = 0;
  Ownership owned;
};

/// Nothing where there is no file that is whole.
std::optional<Kept> read_kept(const std::string& file, ChunkShape shape) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > kMostOwnedFileBytes) return std::nullopt;
  const auto text = formats::read_file(file);
  const std::size_t begin = kHead.size() + kHashDigits + 1;
  if (!text.ok() || text->size() < begin || !text->starts_with(kHead)) return std::nullopt;
  const std::string_view rest = std::string_view(*text).substr(begin);
  if (access::hash_of(rest) != text->substr(kHead.size(), kHashDigits)) return std::nullopt;
  record::ByteReader reader(std::as_bytes(std::span(rest)));
  const std::uint64_t tick = reader.u64();
  const sim::Digest digest = reader.u64();
  auto owned = Ownership::read(reader.rest(), shape);
  if (reader.failed() || !owned.ok()) return std::nullopt;
  return Kept{tick, digest, std::move(owned).value()};
}

Result<sim::Digest> digest_at(record::Reader& history, std::uint64_t tick) {
  if (tick > history.first_tick()) {
    const auto digests = history.digests(tick, tick);
    if (!digests.ok()) return Error{digests.error()};
    return digests->front();
  }
  const auto checkpoint = history.checkpoint_before(tick);
  if (!checkpoint.ok()) return Error{checkpoint.error()};
  return *checkpoint ? (*checkpoint)->digest : sim::Digest{0};
}

/// Whether it was kept of this history.
Result<bool> fits(record::Reader& history, const Kept& kept, std::uint64_t tick) {
  if (kept.tick < history.first_tick() || kept.tick > tick) return false;
  const auto digest = digest_at(history, kept.tick);
  if (!digest.ok()) return Error{digest.error()};
  return *digest == kept.digest;
}

}  // namespace

Result<OwnedAt> count_owned(const std::string& recording, const std::string& file,
                            std::uint64_t tick, ChunkShape shape, const std::atomic<bool>* stop) {
  auto reader = record::Reader::open(recording);
  if (!reader.ok()) return Error{reader.error()};
  record::Reader& history = **reader;
  OwnedAt counted{Ownership(shape)};
  std::uint64_t from = history.first_tick();
  if (auto kept = read_kept(file, shape)) {
    const auto of_this = fits(history, *kept, tick);
    if (!of_this.ok()) return Error{of_this.error()};
    if (*of_this) {
      from = kept->tick;
      counted.owned = std::move(kept->owned);
    } else if (from > 0) {
      counted.owned = std::move(kept->owned);
      counted.doubt = "of tick " + std::to_string(kept->tick) + ", of which the recording that " +
                      "begins at tick " + std::to_string(from) + " knows nothing";
      from = std::clamp(kept->tick, from, tick);
    }
  } else if (from > 0) {
    counted.doubt = "counted from tick " + std::to_string(from) +
                    " on: the recording holds nothing from before";
  }
  if (from >= tick) return counted;
  bool stopped = false;
  const auto take = [&](const record::TickRecord& record) {
    for (const record::RecordedCommand& command : record.commands) {
      ++counted.commands;
      if (!command.applied || !Ownership::concerns(command.command)) continue;
      counted.owned.apply(command.command, owner_in_history(command.client));
    }
    stopped = stop != nullptr && stop->load();
    return !stopped;
  };
  if (const Status read = history.read_commands(from + 1, tick, take); !read) {
    return Error{read.error()};
  }
  if (stopped) return Error{"the world stops"};
  return counted;
}

Status keep_owned(const std::string& file, const Ownership& owned, std::uint64_t tick,
                  sim::Digest digest) {
  record::Bytes bytes;
  record::put_u64(tick, bytes);
  record::put_u64(digest, bytes);
  const std::vector<std::byte> image = owned.image();
  if (image.size() > kMostOwnedFileBytes / 2) {
    return Error{file + ": would have " + std::to_string(image.size()) + " bytes"};
  }
  bytes.insert(bytes.end(), image.begin(), image.end());
  const std::string rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return write_whole(file, std::string(kHead) + access::hash_of(rest) + "\n" + rest);
}

Status keep_owned_up_to_now(const std::string& recording, const std::string& file, ChunkShape shape,
                            const std::atomic<bool>* stop) {
  auto reader = record::Reader::open(recording);
  if (!reader.ok()) return Error{reader.error()};
  const std::uint64_t tick = (*reader)->last_tick();
  const auto digest = digest_at(**reader, tick);
  if (!digest.ok()) return Error{digest.error()};
  const auto counted = count_owned(recording, file, tick, shape, stop);
  if (!counted.ok()) return Error{counted.error()};
  return keep_owned(file, counted->owned, tick, *digest);
}

}  // namespace sluice::host
