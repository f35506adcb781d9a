// A cut of old history that is under way: what seal.h does to a file that nobody writes, and what a
// server does to that of a world that runs.
//
//   any thread      find()        looks where to cut
//                   prepare()     writes the old part and the kept part, as far as the recording
//                                 goes now, beside the file, and reads both whole
//                   catch_up()    adds to the kept part what was recorded meanwhile; as often as it
//                                 takes until that is little
//   writer's thread take_place()  adds the last few ticks, between two commits, and puts the parts
//                                 in the file's place (exchange.h), where the writer goes on
//
// So the writer waits for a few ticks to be copied and for some names to change, however long the
// history is. All before that only reads the recording, beside whoever writes it, and may be ended
// at any moment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocol/base/result.h"
#include "server/record/part_writer.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"
#include "server/record/seal.h"

namespace sluice::record {

/// Used by one thread at a time. The caller has seen to it that nobody but one recorder of this
/// process, or nobody at all, writes the file.
class Cut {
 public:
  /// Removes what a cut before this one left. Null where nothing is to be cut off.
  [[nodiscard]] static Result<std::unique_ptr<Cut>> find(const std::string& path,
                                                         const SealOptions& options);
  /// Takes away what was made, or what it took the place of.
  ~Cut();
  Cut(const Cut&) = delete;
  Cut& operator=(const Cut&) = delete;

  /// Writes the parts; to be called once, first. Needs room for as much as the file takes.
  [[nodiscard]] Status prepare();
  /// Copies what was recorded since, and reads it. Returns how many ticks that were.
  [[nodiscard]] Result<std::uint64_t> catch_up();
  /// The last tick that the kept part holds.
  [[nodiscard]] std::uint64_t last_tick() const { return sealed_.main.last_tick; }
  /// What it comes to as it stands.
  [[nodiscard]] const Sealed& sealed() const { return sealed_; }

  /// The last, where nobody writes the file. An error means that all is as it was, or that the
  /// next start, seal or repair completes it.
  [[nodiscard]] Result<Sealed> take_place();
  /// The last, where `recorder` writes it and has committed all that it took. Nothing, and nothing
  /// is changed: more than `most_behind` ticks were recorded since; catch up and come again. After
  /// an error see Recorder::failed().
  [[nodiscard]] Result<std::optional<Sealed>> take_place(Recorder& recorder,
                                                         std::uint64_t most_behind);

 private:
  Cut(std::string path, const SealOptions& options, std::unique_ptr<Reader> reader);
  [[nodiscard]] Result<std::optional<std::uint64_t>> place() const;
  [[nodiscard]] Status write_old();
  [[nodiscard]] Result<std::unique_ptr<PartWriter>> begin_part(const std::string& path,
                                                               std::uint64_t first) const;
  [[nodiscard]] Result<std::uint64_t> add_ticks(PartWriter& writer, std::uint64_t after,
                                                std::uint64_t last) const;
  [[nodiscard]] Status check_whole(Reader& written, const Part& part) const;
  [[nodiscard]] Status add_late_checkpoint();
  [[nodiscard]] Status check_added(std::uint64_t after);
  [[nodiscard]] Status close_parts();
  [[nodiscard]] bool stopped() const;

  const std::string path_;
  const SealOptions options_;
  std::unique_ptr<Reader> reader_;   // of the recording; null once it is to be replaced
  std::unique_ptr<Reader> written_;  // of the kept part, likewise
  std::unique_ptr<PartWriter> writer_;
  Sealed sealed_;
};

}  // namespace sluice::record
