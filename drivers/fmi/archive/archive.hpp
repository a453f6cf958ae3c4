// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The archive of a functional mock-up unit (FMU): a zip that may come from anywhere.
///
/// Nothing is written before all entries are known to be harmless: a name leads neither out of the folder nor to a link,
/// no two names differ in case alone, nothing is encrypted, and the whole is not larger than its limits, whatever its
/// directory says of sizes.
///
/// Threads  one at a time. Allocates, blocks. @when setup
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct zip;

namespace tactus::drivers::fmi {

/// Limits of an archive. An entry or a sum above them is refused.
struct ArchiveLimits {
  std::uint64_t entries = 50'000;
  std::uint64_t bytes = std::uint64_t{4} << 30;         ///< sum of all entries, unpacked
  std::uint64_t free_bytes = std::uint64_t{256} << 20;  ///< up to here the ratio is not looked at
  std::uint64_t ratio = 200;                            ///< unpacked bytes for one byte of the archive
  std::uint64_t description_bytes = std::uint64_t{64} << 20;
};

/// Error with what is wrong with an archive: one sentence for each mistake; what() has them all.
class ArchiveError : public std::runtime_error {
 public:
  explicit ArchiveError(std::vector<std::string> problems);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

/// An entry that is a file.
struct ArchiveFile {
  std::string name;  ///< "binaries/linux64/engine.so"
  std::uint64_t index;
  std::uint64_t bytes;
};

/// An archive that was opened and looked at.
class Archive {
 public:
  /// Throws ArchiveError: cannot be read, or holds what no FMU may hold.
  explicit Archive(const std::filesystem::path& file, const ArchiveLimits& limits = {});

  const std::vector<ArchiveFile>& files() const { return files_; }
  bool has(const std::string& name) const;
  /// Names of the folders right in "binaries", sorted.
  std::vector<std::string> platforms() const;
  /// First bytes of a file; fewer if it is smaller, none if it is not there. Throws ArchiveError.
  std::string head(const std::string& name, std::size_t bytes) const;
  /// The text of modelDescription.xml. Throws ArchiveError.
  std::string description() const;
  /// Writes what running the unit needs into an empty folder: all but sources, documentation, and binaries of other
  /// platforms than `platform`. Throws ArchiveError.
  void unpack(const std::filesystem::path& folder, const std::string& platform) const;

 private:
  struct Close {
    void operator()(zip* archive) const;
  };
  void look_at(std::uint64_t archive_bytes);
  template <class Take>
  void read(const ArchiveFile& file, Take take) const;

  std::string name_;
  ArchiveLimits limits_;
  std::unique_ptr<zip, Close> zip_;
  std::vector<ArchiveFile> files_;
};

}  // namespace tactus::drivers::fmi
