#include "server/access/accounts_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice::access {

namespace {

constexpr mode_t kOwnerAlone = 0600;

/// Of a file that is closed again. Locks go with it.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }

 private:
  int number_;
};

Error failed(const std::string& what, const std::string& path) {
  return Error{"cannot " + what + " " + path + ": " + std::strerror(errno)};
}

/// Whose file it is: an administrator who changes the accounts of a service leaves them readable
/// for it.
struct Owner {
  uid_t user = static_cast<uid_t>(-1);  // nobody else
  gid_t group = static_cast<gid_t>(-1);

  static Owner of(const std::string& path) {
    struct stat about = {};
    return ::stat(path.c_str(), &about) == 0 ? Owner{about.st_uid, about.st_gid} : Owner{};
  }
  [[nodiscard]] bool take(int file) const { return ::fchown(file, user, group) == 0; }
};

Status write_all(const std::string& path, const std::string& text, const Owner& owner) {
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerAlone));
  if (!file.open()) return failed("write", path);
  if (!owner.take(file.number())) return failed("give to its owner", path);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t some = ::write(file.number(), text.data() + done, text.size() - done);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return failed("write", path);
    done += static_cast<std::size_t>(some);
  }
  if (::fsync(file.number()) != 0) return failed("keep", path);
  return Done{};
}

}  // namespace

Status change_accounts(const std::string& path, const std::function<Status(Accounts&)>& change) {
  // Beside the file, because the file itself is replaced.
  const std::string lock_path = path + ".lock";
  const Descriptor lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerAlone));
  const Owner owner = Owner::of(path);
  if (!lock.open() || !owner.take(lock.number()) || ::flock(lock.number(), LOCK_EX) != 0) {
    return failed("lock", lock_path);
  }
  Accounts accounts;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    auto read = Accounts::read(path);
    if (!read) return Error{read.error()};
    accounts = std::move(read).value();
  }
  if (Status changed = change(accounts); !changed) return changed;
  const std::string fresh = path + ".new";
  if (Status written = write_all(fresh, accounts.text(), owner); !written) return written;
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return failed("replace", path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const Descriptor directory(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.open()) ::fsync(directory.number());
  return Done{};
}

}  // namespace sluice::access
