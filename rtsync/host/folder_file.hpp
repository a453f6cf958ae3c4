// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Opens, reads and replaces files of run folders, to which models and other programs may have access too.
///
///     Descriptor file = open_folder_file(folder / "motion.csv", O_WRONLY | O_CREAT | O_EXCL);
///     if (file.get() < 0) throw std::runtime_error(file_error(folder / "motion.csv", errno));
///
/// A symbolic link is always refused: a file of a run folder is never one somewhere else. So is what is not a
/// regular file: a pipe or a device could hang the caller.
///
/// Threads  every function is re-entrant.
/// RT       nothing here. @when setup or service.
#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync {

/// Opens /dev/null in place of each standard stream that is closed: the next file opened would be that stream, and what
/// is said there would come into it. @when any
void fill_standard_streams();

/// Opens a file of a run folder with the flags of open(2); `at`: the folder that a relative path begins in. Without a
/// descriptor when that failed, and errno says why: ELOOP for a link, EINVAL for what is not a regular file. It
/// is no standard stream, nor is what is opened next: the streams that a model or a library closed are filled.
Descriptor open_folder_file(const std::filesystem::path& file, int flags, int at = AT_FDCWD);
/// Returns the path and the reason, for a link what to do, and who else may have had a hand in it.
std::string file_error(const std::filesystem::path& file, int error);

/// Reads a file of a run folder, at most `most` bytes of it. `error`: 0, or the errno of what went wrong.
std::string read_folder_file(const std::filesystem::path& file, int& error,
                             std::size_t most = std::string::npos);

/// Reads on in a file, to the end of `text`, which then has at most `most` bytes. Returns 0 or an errno.
int read_rest(int fd, std::string& text, std::size_t most = std::string::npos);

/// Returns true if the folder has, under this name, the file of these numbers: not another one, and not a
/// link to it.
bool is_file_of(int folder, const std::filesystem::path& name, dev_t device, ino_t number);

/// Writes the whole text at `at` in the file. Returns 0 or an errno; `written`: bytes that came in any case.
int write_whole(int fd, std::string_view text, off_t at = 0, std::size_t* written = nullptr);
/// Writes the whole text where the file stands, or at its end with O_APPEND; likewise.
int append_whole(int fd, std::string_view text, std::size_t* written = nullptr);
/// Replaces a file of a run folder at once, by way of <file>.part, or `by` instead of ".part". Room that was kept for that
/// file is used. One process at a time. Returns 0 or an errno; the file is then as it was.
int replace_folder_file(const std::filesystem::path& file, std::string_view text, int at = AT_FDCWD,
                        std::string_view by = ".part");

}  // namespace tactus::rtsync
