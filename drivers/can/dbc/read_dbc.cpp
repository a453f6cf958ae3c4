// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "drivers/can/dbc/parser.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw std::runtime_error(file + ": " + why);
}

}  // namespace

const Message* Database::find(const std::string& name) const {
  for (const Message& each : messages)
    if (each.name == name) return &each;
  return nullptr;
}

bool fits(const std::string& pattern, const std::string& name) {
  std::size_t p = 0, n = 0, star = std::string::npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string Database::text_of(const Note& note) const {
  return file + ":" + (note.line > 0 ? std::to_string(note.line) + ":" : "") +
         (note.is_error ? " error: " : " warning: ") + note.text;
}

Database read_dbc(std::string text, const std::string& name) {
  Statements all;
  Notes notes(all.database);
  all.database.file = name;
  std::string_view view = text;
  if (view.starts_with("\xEF\xBB\xBF")) view.remove_prefix(3);
  if (view.starts_with("\xFF\xFE") || view.starts_with("\xFE\xFF")) {
    notes.error(1, "the file is UTF-16; DBC files are ASCII, Windows-1252 or UTF-8: save it as one of these");
    return std::move(all.database);
  }
  if (view.size() > kLargestFile) {
    notes.error(0, std::to_string(view.size() / kMiB) + " MiB; at most " +
                       std::to_string(kLargestFile / kMiB) + " are read");
    return std::move(all.database);
  }
  if (const std::size_t nul = view.substr(0, 4096).find('\0'); nul != std::string_view::npos) {
    notes.error(1, "the file has a byte 0 at " + std::to_string(nul) + ": it is not a text");
    return std::move(all.database);
  }
  read_statements(view, all, notes);
  if (!all.known)
    notes.error(0, "has no statement of a DBC file (BO_, BU_, VERSION, ...)");
  else if (all.database.messages.empty())
    notes.warn(0, "has no messages");
  resolve_references(all, notes);
  resolve_attributes(all, notes);
  look_for_mistakes(all.database, notes);
  notes.finish();
  return std::move(all.database);
}

Database load_dbc(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (error) refuse(file, error.message());
  if (std::filesystem::is_directory(status)) refuse(file, "is a folder");
  if (!std::filesystem::is_regular_file(status)) refuse(file, "is not a file");
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) refuse(file, error.message());
  if (size > kLargestFile)
    refuse(file, std::to_string(size / kMiB) + " MiB; at most " + std::to_string(kLargestFile / kMiB) +
                     " are read");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, std::generic_category().message(errno));
  std::string text(size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return read_dbc(std::move(text), file);
}

}  // namespace tactus::drivers::can
