// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/archive/entry_rules.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kLongestPart = 255;  // of a file system
constexpr std::uint16_t kStored = 0, kDeflated = 8;

std::string small(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Returns the reason why a name is refused; empty: it is not.
std::string fault_of(const std::string& name) {
  if (name.empty()) return "has no name";
  if (name.size() > kLongestName) return "has a name of more than 1000 characters";
  if (name.front() == '/') return "has an absolute name";
  if (name.find('\\') != std::string::npos)
    return "has a backslash in its name: folders of a zip are separated by '/'; zip the unit again with "
           "another program";
  if (name.size() > 1 && name[1] == ':') return "has a name with a drive";
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }))
    return "has a control character in its name";
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (part == "..") return "leads out of the folder by '..'";
    if (part == "." || part.empty()) return "has an empty part or '.' in its name";
    if (part.size() > kLongestPart) return "has a part of more than 255 characters in its name";
    begin = end + 1;
  }
  return "";
}

}  // namespace

void EntryRules::add(std::string problem) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(problem));
}

bool EntryRules::take(const ArchiveEntry& entry) {
  const std::string shown = "entry " + in_quotes(entry.name) + " ";
  const std::size_t before = problems_.size();
  if (const std::string fault = fault_of(entry.name); !fault.empty()) {
    add(shown + fault);
    return false;
  }
  const bool folder = entry.name.back() == '/';
  const std::uint32_t kind = entry.mode & S_IFMT;
  if (kind == S_IFLNK)
    add(shown + "is a symbolic link: an FMU holds files and folders alone; zip without --symlinks");
  else if (kind != 0 && kind != S_IFREG && kind != S_IFDIR)
    add(shown + "is neither a file nor a folder");
  if (entry.encrypted) add(shown + "is encrypted: an FMU is not");
  if (entry.method != kStored && entry.method != kDeflated)
    add(shown + "is packed by method " + std::to_string(entry.method) +
        ": an FMU is stored or deflated (zip -Z deflate)");
  // Each folder on the way, and the name itself.
  const std::string name = folder ? entry.name.substr(0, entry.name.size() - 1) : entry.name;
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    const auto [at, fresh] = folders_.emplace(small(part), part);
    if (!fresh && at->second != part)
      add(shown + "is in a folder that differs from " + in_quotes(at->second) + " in case alone");
    if (seen_.count(small(part)) != 0) add(shown + "is in a folder that is also a file: " + in_quotes(part));
  }
  if (folder) {
    const auto [at, fresh] = folders_.emplace(small(name), name);
    if (!fresh && at->second != name) add(shown + "differs from " + in_quotes(at->second) + " in case alone");
    if (seen_.count(small(name)) != 0) add(shown + "is a folder and also a file");
    return false;
  }
  const auto [at, fresh] = seen_.emplace(small(name), entry);
  if (!fresh && at->second.name == name) {
    if (at->second.bytes == entry.bytes && at->second.crc == entry.crc)
      return false;  // programs in use write such
    add(shown + "is there twice, with different content");
  } else if (!fresh) {
    add(shown + "differs from " + in_quotes(at->second.name) + " in case alone");
  }
  if (folders_.count(small(name)) != 0) add(shown + "is a file and also a folder");
  return problems_.size() == before;
}

}  // namespace tactus::drivers::fmi
