// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/host_file.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "rtsync/host/folder_file.hpp"

namespace tactus::rtsync {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;

std::filesystem::path below(const std::filesystem::path& root, std::string_view file) {
  while (!file.empty() && file.front() == '/') file.remove_prefix(1);
  return root / file;
}

/// Unpacks a gzip file with the zlib that every Debian system has. It is loaded when asked for, so that a
/// fact about the kernel costs the real-time process no library; without it the file counts as unreadable.
std::optional<std::string> unzipped(const std::filesystem::path& path) {
  using Open = void* (*)(const char*, const char*);
  using Read = int (*)(void*, void*, unsigned);
  using Close = int (*)(void*);
  void* const zlib = ::dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (zlib == nullptr) return std::nullopt;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): dlsym knows no types
  const auto open = reinterpret_cast<Open>(::dlsym(zlib, "gzopen"));
  const auto read = reinterpret_cast<Read>(::dlsym(zlib, "gzread"));
  const auto close = reinterpret_cast<Close>(::dlsym(zlib, "gzclose"));
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  std::optional<std::string> text;
  struct stat facts {};
  const bool regular = ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (regular && open != nullptr && read != nullptr && close != nullptr) {
    if (void* const file = open(path.c_str(), "rb"); file != nullptr) {
      text.emplace();
      std::array<char, 16384> piece{};
      int got = 0;
      while (text->size() < kMost &&
             (got = read(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0) {
        text->append(piece.data(), static_cast<std::size_t>(got));
      }
      close(file);
      if (got < 0) text.reset();
    }
  }
  ::dlclose(zlib);
  return text;
}

}  // namespace

bool FileText::absent() const { return error == ENOENT || error == ENOTDIR; }

std::string FileText::why() const {
  if (readable()) return file + " could be read";
  return file + " could not be read: " + std::generic_category().message(error);
}

FileText read_host_file(const std::filesystem::path& root, std::string_view file) {
  FileText result{.file = below("/", file).string()};
  // O_NONBLOCK: a pipe or a device under a name we trusted must not hang the one who asks.
  const Descriptor fd{::open(below(root, file).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  const auto failed = [&result](int error) {
    return FileText{.error = error, .file = std::move(result.file)};
  };
  if (fd.get() < 0) return failed(errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return failed(errno);
  if (!S_ISREG(facts.st_mode)) return failed(S_ISDIR(facts.st_mode) ? EISDIR : EINVAL);
  if (const int error = read_rest(fd.get(), result.text, kMost); error != 0) return failed(error);
  result.text = std::string{trimmed(result.text)};
  return result;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  return read_number<std::int64_t>(trimmed(text));
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    entries.push_back(entry->path());
  return entries;
}

std::optional<std::int64_t> read_host_number(const std::filesystem::path& root, std::string_view file) {
  const FileText read = read_host_file(root, file);
  return read.readable() ? whole_number(read.text) : std::nullopt;
}

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::int64_t number = 0;
  if (at == std::string_view::npos) return std::nullopt;
  const char* const begin = text.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  return number;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kWhiteSpace, at)) != std::string_view::npos) {
    const std::size_t end = text.find_first_of(kWhiteSpace, at);
    words.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) break;
    at = end;
  }
  return words;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::optional<std::int64_t> stolen_ticks(std::string_view stat, int cpu) {
  constexpr std::size_t kSteal = 8;
  for (const std::string_view line : lines_of(stat)) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() > kSteal && words.front() == "cpu" + std::to_string(cpu))
      return whole_number(words[kSteal]);
  }
  return std::nullopt;
}

std::optional<std::string> chosen(std::string_view text, char open, char close) {
  const std::size_t from = text.find(open);
  const std::size_t to = from == std::string_view::npos ? from : text.find(close, from);
  if (to == std::string_view::npos) return std::nullopt;
  return std::string{text.substr(from + 1, to - from - 1)};
}

std::optional<std::string> boot_parameter(std::string_view cmdline, std::string_view name) {
  std::optional<std::string> value;
  for (const std::string_view word : words_of(cmdline)) {
    if (word == "--") break;  // what follows belongs to init
    if (word == name) {
      value = "";
    } else if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      value = std::string{word.substr(name.size() + 1)};  // the last one counts
    }
  }
  return value;
}

KernelConfig::KernelConfig(std::string text, std::string file)
    : text_(std::make_shared<const std::string>(std::move(text))), file_(std::move(file)) {}

std::optional<bool> KernelConfig::has(std::string_view option) const {
  if (!known()) return std::nullopt;
  const std::string wanted = std::string{option} + "=y";
  const std::string_view text = *text_;
  // The C library's search takes a fifth of the time of std::string_view's.
  const auto find = [&](std::size_t from) {
    const void* const found = ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
    return found == nullptr ? std::string_view::npos
                            : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  };
  for (std::size_t at = find(0); at != std::string_view::npos; at = find(at + 1)) {
    const std::size_t before = text.rfind('\n', at);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    if (trimmed(text.substr(begin, text.find('\n', at) - begin)) == wanted) return true;
  }
  return false;
}

static KernelConfig read_config(const std::filesystem::path& root) {
  // A text without a single CONFIG_ is some other file: better to know nothing.
  const auto plausible = [](const std::string& text) { return text.find("CONFIG_") != std::string::npos; };
  const std::filesystem::path packed = below(root, "proc/config.gz");
  std::error_code ignored;
  if (std::filesystem::exists(packed, ignored)) {
    if (std::optional<std::string> text = unzipped(packed); text && plausible(*text))
      return KernelConfig{std::move(*text), "/proc/config.gz"};
  }
  const FileText release = read_host_file(root, "/proc/sys/kernel/osrelease");
  if (!release.readable() || release.text.find('/') != std::string::npos) return {};
  FileText plain = read_host_file(root, "/boot/config-" + release.text);
  if (!plain.readable() || !plausible(plain.text)) return {};
  return KernelConfig{std::move(plain.text), plain.file};
}

KernelConfig read_kernel_config(const std::filesystem::path& root) {
  if (root != "/") return read_config(root);
  static const KernelConfig running = read_config(root);  // it does not change: each reading unpacks it
  return running;
}

std::optional<KernelVersion> read_kernel_version(const std::filesystem::path& root) {
  const FileText release = read_host_file(root, "/proc/sys/kernel/osrelease");
  KernelVersion version;
  const char* const end = release.text.data() + release.text.size();
  const auto major = std::from_chars(release.text.data(), end, version.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc{}) return std::nullopt;
  return version;
}

}  // namespace tactus::rtsync
