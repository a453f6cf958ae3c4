// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Reading the small text files in which Linux describes itself, from a root that tests may replace.
///
/// Threads  every function is re-entrant.
/// RT       nothing here: files are read, strings are made. @when setup or service.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/text.hpp"

namespace tactus::rtsync {

/// Content of a file, or the reason why it could not be read.
struct FileText {
  std::string text{};  ///< content without white space at either end
  int error = 0;       ///< 0, or the errno of what went wrong
  std::string file;    ///< the path as a person would type it, without the root

  bool readable() const { return error == 0; }
  bool absent() const;      ///< there is no such file: the kernel does not have it, or hides it
  std::string why() const;  ///< "/sys/kernel/realtime could not be read: No such file or directory"
};

/// Reads at most 1 MiB of root/file. Never blocks: devices, pipes and directories are refused.
FileText read_host_file(const std::filesystem::path& root, std::string_view file);
/// Lists a folder, in no order; nothing when it cannot be read. Throws nothing when it changes meanwhile, or
/// when a model closes all files of the process: then it has what was read so far.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);
/// The file as one whole number; nothing when it cannot be read or says something else.
std::optional<std::int64_t> read_host_number(const std::filesystem::path& root, std::string_view file);
/// The text as one whole number, white space around it allowed; nothing when it is not one.
std::optional<std::int64_t> whole_number(std::string_view text);
/// Returns the number behind the first place of a key, 0 or more; nothing when there is none.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view key);
/// The pieces between runs of white space.
std::vector<std::string_view> words_of(std::string_view text);
std::vector<std::string_view> lines_of(std::string_view text);
/// The ticks that a hypervisor took from a CPU, in the text of /proc/stat; nothing: it does not say.
std::optional<std::int64_t> stolen_ticks(std::string_view stat, int cpu);
/// The word in brackets: "full" of "none voluntary (full) lazy".
std::optional<std::string> chosen(std::string_view text, char open, char close);
/// The value of `name=value` on the kernel's command line; "" for a bare `name`; nothing when not given.
std::optional<std::string> boot_parameter(std::string_view cmdline, std::string_view name);

/// The build configuration of the running kernel: /proc/config.gz, else /boot/config-<release>.
class KernelConfig {
 public:
  KernelConfig() = default;
  explicit KernelConfig(std::string text, std::string file);
  bool known() const { return text_ != nullptr; }
  const std::string& file() const { return file_; }
  /// Returns true for `CONFIG_X=y`, false for a configuration without it; nothing if no configuration is
  /// known.
  std::optional<bool> has(std::string_view option) const;

 private:
  std::shared_ptr<const std::string> text_;  // copies share it
  std::string file_;
};
KernelConfig read_kernel_config(const std::filesystem::path& root);

/// {6, 12} of "6.12.3-rt1"; nothing when /proc/sys/kernel/osrelease says something else.
struct KernelVersion {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const KernelVersion&, const KernelVersion&) = default;
};
std::optional<KernelVersion> read_kernel_version(const std::filesystem::path& root);

}  // namespace tactus::rtsync
