// Goal: what recordings need of a file system, the system's own does: a file that is written anew
// is the same file with the same bytes, and errors are told.
#include "server/record/files.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "server/record/durable.h"
#include "tests/record/support.h"

namespace sluice::record::test::files_test {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Its pieces are of 1 MiB.
TEST(Files, WhatIsWrittenAnewIsTheSameFileWithTheSameBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log");
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kPiece - 1, kPiece, 2 * kPiece + 7}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 131 + i / 997));
    std::ofstream(path, std::ios::binary) << bytes;
    struct stat before {};
    struct stat after {};
    ASSERT_EQ(stat(path.c_str(), &before), 0);
    EXPECT_TRUE(write_log_anew(path).ok()) << size;
    ASSERT_EQ(stat(path.c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino) << "whoever has it open has the same";
    EXPECT_TRUE(bytes_of(path) == bytes) << size;
  }
}

TEST(Files, WhatIsNotThereNeedsNoWriting) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_log_anew(folder.file("none")).ok());
  EXPECT_TRUE(files().write_anew(folder.file("none")).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.file("none")));
}

TEST(Files, WhatCannotBeWrittenIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("folder");
  std::filesystem::create_directory(path);
  const Status anew = write_log_anew(path);
  ASSERT_FALSE(anew.ok());
  EXPECT_TRUE(anew.error().starts_with(path + ": cannot be written anew: ")) << anew.error();
}

}  // namespace
}  // namespace sluice::record::test::files_test
