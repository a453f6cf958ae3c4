// SPDX-License-Identifier: Apache-2.0
#include "executive/run/summary_file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tactus::executive {
namespace {

using rtsync::Descriptor;
using rtsync::HeldFile;

constexpr const char* kName = "summary.json";
constexpr const char* kNext = "summary.json.part";
constexpr std::size_t kSmallestDisk = 32;  // in rooms: a smaller disk needs them for the recordings

HeldFile opened(const std::filesystem::path& folder) {
  return HeldFile(Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
}

void keep(int fd, std::size_t bytes) {
  if (fd < 0 || bytes == 0) return;
  while (::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) != 0 && errno == EINTR) continue;
}

int cut(int fd, std::size_t bytes) { return ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? 0 : errno; }

int overwrite(int fd, const std::string& text) {
  const int error = rtsync::write_whole(fd, text);
  return error != 0 ? error : cut(fd, text.size());
}

}  // namespace

SummaryFile::SummaryFile(std::filesystem::path folder) : path_(std::move(folder)), folder_(opened(path_)) {
  (void)::stat("/", &root_);
}

/// Opens the folder again where a model or a library closed it, if its path still leads to it.
void SummaryFile::hold_folder() {
  if (!folder_.is_taken()) return;
  folder_.let_go();
  HeldFile again = opened(path_);
  struct stat found {};
  if (::fstat(again.get(), &found) == 0 && folder_.has(found)) folder_ = std::move(again);
}

HeldFile SummaryFile::make(const char* name) const {
  HeldFile made(rtsync::open_folder_file(name, O_WRONLY | O_CREAT | O_EXCL, folder_.get()));
  keep(made.get(), room_);
  return made;
}

void SummaryFile::keep_room(std::size_t bytes) {
  struct statvfs disk {};
  if (::fstatvfs(folder_.get(), &disk) != 0 || disk.f_bavail * disk.f_frsize < kSmallestDisk * bytes) return;
  room_ = bytes;
  keep(shown_.get(), room_);
  keep(next_.get(), room_);
}

bool SummaryFile::is_there(const char* name, const HeldFile& file) const {
  return file.names() > 0 && file.is_in(folder_.get(), name);
}

/// Frees what the next file takes of the disk, for the one that is shown.
void SummaryFile::give_room_back() {
  if (is_there(kNext, next_)) (void)::unlinkat(folder_.get(), kNext, 0);
  next_ = HeldFile();
}

/// Writes into the next file, which then takes the place of the one that is shown.
int SummaryFile::put(const std::string& text, bool last) {
  hold_folder();
  if (!is_there(kNext, next_)) {  // a first time, or another process took it away, or a model closed it
    shown_.let_go();
    next_.let_go();
    if (next_.is_in(folder_.get(), kNext)) (void)::unlinkat(folder_.get(), kNext, 0);
    next_ = make(kNext);
    if (next_.get() < 0 && errno == EEXIST) return ELOOP;  // not ours: a link, most likely
    if (next_.get() < 0) return errno;
  }
  const std::string padding(text.size() < longest_ && !last ? longest_ - text.size() : 0, '\n');
  const std::string whole = text + padding;
  if (const int error = rtsync::write_whole(next_.get(), whole); error != 0) return error;
  longest_ = std::max(longest_, text.size());
  if (last)
    if (const int error = cut(next_.get(), text.size()); error != 0) return error;
  const int at = folder_.get();
  const bool exchanged =
      !last && is_there(kName, shown_) && ::renameat2(at, kNext, at, kName, RENAME_EXCHANGE) == 0;
  if (!exchanged && ::renameat(at, kNext, at, kName) != 0) return errno;
  std::swap(shown_, next_);
  shown_text_ = whole;
  if (!exchanged) next_ = last ? HeldFile() : make(kNext);
  return 0;
}

std::string SummaryFile::write(const std::string& text) {
  const int error = put(text, false);
  return error == 0 ? "" : rtsync::file_error(path_ / (error == ELOOP ? kNext : kName), error);
}

std::string SummaryFile::write_last(const std::string& text, const std::string& brief) {
  int error = put(text, true);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    if (put(brief, true) == 0) return "";
  if (error == 0) return "";
  // No rename: as another user, or beside a link; or no room for two. The file itself is open.
  if (is_there(kName, shown_)) {
    give_room_back();
    for (const std::string* each : {&text, &brief})
      if (overwrite(shown_.get(), *each) == 0) return "";
    (void)overwrite(shown_.get(), shown_text_);
  }
  return rtsync::file_error(path_ / (error == ELOOP ? kNext : kName), error);
}

std::string SummaryFile::what_became_of_folder() {
  hold_folder();
  if (folder_.is_taken())
    return "the run folder " + path_.string() +
           " can no longer be reached: a model or a library closed files of the rig";
  if (folder_.names() == 0) return "the run folder " + path_.string() + " was removed while the rig ran";
  struct stat root {};
  if (::stat("/", &root) != 0 || root.st_ino != root_.st_ino || root.st_dev != root_.st_dev) return "";
  struct stat found {};
  if (::stat(path_.c_str(), &found) != 0 ? errno != ENOENT : folder_.has(found)) return "";
  return "the run folder is no longer " + path_.string() + ": it was renamed while the rig ran";
}

}  // namespace tactus::executive
