// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "rtsync/host/held_file.hpp"

namespace tactus::executive {

/// Writes summary.json of a run folder again and again. A full disk takes nothing from it: there are two files, both
/// with room kept from the start, which change places. It keeps both open, and the folder, so that it still writes
/// when a model changes user or root, or the folder is renamed. What a model or a library closed is opened again.
///
/// Threads  one at a time. Every function may block as long as the file system does.
class SummaryFile {
 public:
  /// Keeps the folder open. Never throws: what is wrong is in the answers of write() and write_last().
  /// @when setup
  explicit SummaryFile(std::filesystem::path folder);
  /// Keeps room for texts of `bytes`, where the disk has a multiple of that. @when setup
  void keep_room(std::size_t bytes);
  /// Replaces the text. Empty, or why it could not be: the text before is then still there.     @when service
  std::string write(const std::string& text);
  /// Replaces it for the last time, and gives the room back. What does not fit is replaced by `brief`. Empty, or why
  /// neither could be written: the text before is then still there, and may say that the rig runs. @when service
  std::string write_last(const std::string& text, const std::string& brief);
  /// Says what became of the folder: that it was removed, has another name now, or is not reached; empty: nothing.
  /// @when service
  std::string what_became_of_folder();

 private:
  rtsync::HeldFile make(const char* name) const;
  bool is_there(const char* name, const rtsync::HeldFile& file) const;
  void hold_folder();
  void give_room_back();
  int put(const std::string& text, bool last);

  const std::filesystem::path path_;
  rtsync::HeldFile folder_;
  rtsync::HeldFile shown_;  // summary.json
  rtsync::HeldFile next_;   // summary.json.part
  std::string shown_text_;  // in it
  struct stat root_ {};     // the file system's root as it was: a model may choose another
  std::size_t room_ = 0;
  std::size_t longest_ =
      0;  // of the texts so far; a shorter one is padded, as cutting a file gives room back
};

}  // namespace tactus::executive
