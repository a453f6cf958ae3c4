// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/folder_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace tactus::rtsync {
namespace {

const uid_t user_at_load = ::geteuid();

/// Calls `put` until all of the text is written, or an error says why not.
template <class Put>
int write_pieces(std::string_view text, std::size_t* written, Put put) {
  std::size_t done = 0;
  int error = 0;
  while (error == 0 && done < text.size()) {
    const ssize_t now = put(text.data() + done, text.size() - done, done);
    if (now > 0) done += static_cast<std::size_t>(now);
    if (now == 0) error = ENOSPC;
    if (now < 0 && errno != EINTR) error = errno;
  }
  if (written != nullptr) *written = done;
  return error;
}

}  // namespace

void fill_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)::open("/dev/null", O_RDWR);  // takes the lowest free number
}

Descriptor open_folder_file(const std::filesystem::path& file, int flags, int at) {
  fill_standard_streams();
  Descriptor opened(::openat(at, file.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
  // Where there was no room for them.
  if (opened.get() >= 0 && opened.get() <= STDERR_FILENO)
    opened = Descriptor(::fcntl(opened.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  struct stat facts {};
  if (opened.get() < 0 || (::fstat(opened.get(), &facts) == 0 && S_ISREG(facts.st_mode))) return opened;
  opened = Descriptor();
  errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
  return opened;
}

std::string file_error(const std::filesystem::path& file, int error) {
  if (error == ELOOP)
    return file.string() + " is a symbolic link, and no file of a run folder may be one: remove it";
  if (error == EINVAL) return file.string() + " is not a regular file";
  if (error == EBADF) return file.string() + ": a model or a library closed it (Bad file descriptor)";
  const std::string text = file.string() + ": " + std::generic_category().message(error);
  if (const uid_t now = ::geteuid(); error == EACCES && now != user_at_load)
    return text + "; a model or a library made user " + std::to_string(now) + " of user " +
           std::to_string(user_at_load);
  return text;
}

std::string read_folder_file(const std::filesystem::path& file, int& error, std::size_t most) {
  std::string text;
  const Descriptor opened = open_folder_file(file, O_RDONLY);
  error = opened.get() < 0 ? errno : read_rest(opened.get(), text, most);
  return text;
}

int read_rest(int fd, std::string& text, std::size_t most) {
  std::array<char, 16384> piece{};
  while (text.size() < most) {
    const ssize_t got = ::read(fd, piece.data(), std::min(piece.size(), most - text.size()));
    if (got == 0) break;
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return errno;
  }
  return 0;
}

bool is_file_of(int folder, const std::filesystem::path& name, dev_t device, ino_t number) {
  struct stat facts {};
  return ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && facts.st_dev == device &&
         facts.st_ino == number;
}

int write_whole(int fd, std::string_view text, off_t at, std::size_t* written) {
  return write_pieces(text, written, [&](const char* from, std::size_t size, std::size_t done) {
    return ::pwrite(fd, from, size, at + static_cast<off_t>(done));
  });
}

int append_whole(int fd, std::string_view text, std::size_t* written) {
  return write_pieces(text, written, [&](const char* from, std::size_t size, std::size_t) {
    return ::write(fd, from, size);
  });
}

int replace_folder_file(const std::filesystem::path& file, std::string_view text, int at,
                        std::string_view by) {
  std::filesystem::path part = file;
  part += by;
  Descriptor made = open_folder_file(part, O_WRONLY | O_CREAT, at);
  if (made.get() < 0) return errno;
  struct stat facts {};
  // A second name would be written too.
  if (::fstat(made.get(), &facts) != 0 || facts.st_nlink > 1) return EMLINK;
  int error = write_whole(made.get(), text);
  if (error == 0 && ::ftruncate(made.get(), static_cast<off_t>(text.size())) != 0) error = errno;
  if (error == 0) error = made.close();
  if (error == 0 && ::renameat(at, part.c_str(), at, file.c_str()) != 0) error = errno;
  if (error != 0) (void)::unlinkat(at, part.c_str(), 0);
  return error;
}

}  // namespace tactus::rtsync
