// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/archive/archive.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <span>
#include <system_error>

#include "drivers/fmi/archive/entry_rules.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr const char* kDescription = "modelDescription.xml";

std::string joined(const std::vector<std::string>& problems) {
  std::string all;
  for (const std::string& each : problems) all += (all.empty() ? "" : "; ") + each;
  return all;
}

[[noreturn]] void refuse(std::string problem) { throw ArchiveError({std::move(problem)}); }

std::string error_text(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

/// A file that is written whole, or not at all.
class NewFile {
 public:
  NewFile(const std::filesystem::path& path, bool executable)
      : path_(path),
        fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   executable ? 0700 : 0600)) {
    if (fd_ < 0) fail();
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() { (void)::close(fd_); }

  void write(std::span<const char> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

 private:
  [[noreturn]] void fail() const {
    refuse("cannot write " + path_.string() + ": " + std::generic_category().message(errno) +
           "; TMPDIR names another folder to unpack into");
  }
  const std::filesystem::path path_;
  const int fd_;
};

}  // namespace

ArchiveError::ArchiveError(std::vector<std::string> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

void Archive::Close::operator()(zip* archive) const { zip_discard(archive); }

Archive::Archive(const std::filesystem::path& file, const ArchiveLimits& limits)
    : name_(file.filename().string()), limits_(limits) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0)
    refuse("cannot open " + file.string() + ": " + std::generic_category().message(errno));
  if (!S_ISREG(found.st_mode)) refuse(file.string() + " is not a file; an FMU is a zip archive");
  int code = 0;
  zip_.reset(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (zip_ == nullptr) refuse(name_ + " is not a zip archive that can be read: " + error_text(code));
  look_at(static_cast<std::uint64_t>(found.st_size));
}

void Archive::look_at(std::uint64_t archive_bytes) {
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(zip_.get(), 0)));
  if (count > limits_.entries)
    refuse(name_ + " has " + std::to_string(count) + " entries; at most " + std::to_string(limits_.entries) +
           " are possible");
  EntryRules rules;
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    zip_stat_t entry;
    zip_stat_init(&entry);
    if (zip_stat_index(zip_.get(), i, 0, &entry) != 0 || entry.name == nullptr) {
      rules.add("entry " + std::to_string(i) +
                " of the archive cannot be read: " + zip_error_strerror(zip_get_error(zip_.get())));
      continue;
    }
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    (void)zip_file_get_external_attributes(zip_.get(), i, 0, &system, &attributes);
    const std::string name = entry.name;
    const bool encrypted =
        (entry.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && entry.encryption_method != ZIP_EM_NONE;
    const std::uint32_t mode = system == ZIP_OPSYS_UNIX ? attributes >> 16U : 0;
    const bool is_file = rules.take({name, mode, encrypted, entry.comp_method, entry.size, entry.crc});
    if (!is_file) continue;
    bytes = entry.size > limits_.bytes ? limits_.bytes + 1 : std::min(limits_.bytes + 1, bytes + entry.size);
    files_.push_back({name, i, entry.size});
  }
  if (bytes > limits_.bytes)
    rules.add("unpacks to more than " + std::to_string(limits_.bytes) + " bytes, which is the limit");
  else if (bytes > limits_.free_bytes && bytes / limits_.ratio > archive_bytes)
    rules.add("unpacks to " + std::to_string(bytes) + " bytes, more than " + std::to_string(limits_.ratio) +
              " times its size: such an archive is made to fill a disk");
  if (rules.problems().empty() && !has(kDescription)) {
    std::string inside;
    for (const ArchiveFile& file : files_)
      if (const std::size_t end = file.name.find('/');
          end != std::string::npos && file.name.substr(end + 1) == kDescription)
        inside = file.name.substr(0, end);
    rules.add(inside.empty() ? "has no modelDescription.xml at its root, so it is not an FMU"
                             : "has its modelDescription.xml in a folder '" + inside +
                                   "', not at its root: zip what is in that folder, not the folder (cd " +
                                   inside + " && zip -r ../" + name_ + " .)");
  }
  if (!rules.problems().empty()) {
    std::vector<std::string> all;
    for (const std::string& problem : rules.problems()) all.push_back(name_ + ": " + problem);
    throw ArchiveError(std::move(all));
  }
}

bool Archive::has(const std::string& name) const {
  return std::ranges::any_of(files_, [&](const ArchiveFile& f) { return f.name == name; });
}

std::vector<std::string> Archive::platforms() const {
  constexpr std::string_view kFolder = "binaries/";
  std::set<std::string> found;
  for (const ArchiveFile& file : files_)
    if (const std::size_t end = file.name.find('/', kFolder.size());
        file.name.starts_with(kFolder) && end != std::string::npos)
      found.insert(file.name.substr(kFolder.size(), end - kFolder.size()));
  return {found.begin(), found.end()};
}

template <class Take>
void Archive::read(const ArchiveFile& file, Take take) const {
  struct Closed {
    void operator()(zip_file_t* opened) const { (void)zip_fclose(opened); }
  };
  const std::unique_ptr<zip_file_t, Closed> opened(zip_fopen_index(zip_.get(), file.index, 0));
  const auto fail = [&](const std::string& why) { refuse(name_ + ": entry '" + file.name + "' " + why); };
  if (opened == nullptr)
    fail(std::string("cannot be unpacked: ") + zip_error_strerror(zip_get_error(zip_.get())));
  std::array<char, 65536> piece;
  std::uint64_t total = 0;
  for (;;) {
    const zip_int64_t got = zip_fread(opened.get(), piece.data(), piece.size());
    if (got < 0)
      fail(std::string("cannot be unpacked: ") + zip_error_strerror(zip_file_get_error(opened.get())));
    if (got == 0) break;
    total += static_cast<std::uint64_t>(got);
    if (total > file.bytes) fail("is larger than the archive says");
    take(std::span<const char>(piece.data(), static_cast<std::size_t>(got)));
  }
  if (total != file.bytes) fail("is smaller than the archive says: the file was cut");
}

std::string Archive::description() const {
  for (const ArchiveFile& file : files_) {
    if (file.name != kDescription) continue;
    if (file.bytes > limits_.description_bytes)
      refuse(name_ + ": its modelDescription.xml has " + std::to_string(file.bytes) + " bytes; at most " +
             std::to_string(limits_.description_bytes) + " are possible");
    std::string text;
    read(file, [&](std::span<const char> piece) { text.append(piece.data(), piece.size()); });
    return text;
  }
  refuse(name_ + " has no modelDescription.xml");
}

std::string Archive::head(const std::string& name, std::size_t bytes) const {
  const auto file = std::ranges::find(files_, name, &ArchiveFile::name);
  if (file == files_.end()) return "";
  zip_file_t* const opened = zip_fopen_index(zip_.get(), file->index, 0);
  if (opened == nullptr)
    refuse(name_ + ": entry '" + name +
           "' cannot be unpacked: " + zip_error_strerror(zip_get_error(zip_.get())));
  std::string text(std::min<std::uint64_t>(bytes, file->bytes), '\0');
  const zip_int64_t got = zip_fread(opened, text.data(), text.size());
  (void)zip_fclose(opened);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

void Archive::unpack(const std::filesystem::path& folder, const std::string& platform) const {
  const std::string ours = "binaries/" + platform + "/";
  for (const ArchiveFile& file : files_) {
    const bool binary = file.name.starts_with("binaries/");
    if ((binary && !file.name.starts_with(ours)) || file.name.starts_with("sources/") ||
        file.name.starts_with("documentation/"))
      continue;
    const std::filesystem::path to = folder / file.name;
    std::error_code failed;
    std::filesystem::create_directories(to.parent_path(), failed);
    if (failed) refuse("cannot make folder " + to.parent_path().string() + ": " + failed.message());
    NewFile made(to, binary);
    read(file, [&](std::span<const char> piece) { made.write(piece); });
  }
}

}  // namespace tactus::drivers::fmi
