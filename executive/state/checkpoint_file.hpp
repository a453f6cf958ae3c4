// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A checkpoint as a file: docs/checkpoint-file.md has the format, byte by byte.
///
///     write_checkpoint(path, head, image, bytes);                 // whole or not at all
///     const Checkpoint found = read_checkpoint(path);             // verified before it is handed out
///     for (const std::string& why : mismatches(found, image, period)) ...
///     const std::vector<std::byte> bytes = image_for(found, image);
///     image.copy_from(bytes.data());
///
/// Threads  plain functions. Two processes that write one path at a time: the second is refused.
/// RT       nothing here. @when setup and @when service.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "executive/state/state_image.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

constexpr std::uint32_t kCheckpointFormat = 1;

/// Head of a checkpoint, beside the pieces.
struct CheckpointHead {
  std::string rig;
  std::int64_t frame = 0;        ///< the frame at whose end it was taken
  std::int64_t sim_time_ns = 0;  ///< simulated time at that end: (frame + 1) * period
  rtsync::Period period{1'000'000, 1};
  std::string version;  ///< version of the tactus that wrote it
  std::string created;  ///< "2024-02-29T12:34:56Z"
};

struct CheckpointPiece {
  std::string name;
  std::string type{};
  std::uint32_t count = 0;
  std::string unit{};
  std::size_t offset = 0;  ///< offset in the data
  std::size_t bytes = 0;
};

/// A file that was read and found whole.
struct Checkpoint {
  CheckpointHead head;
  std::vector<CheckpointPiece> pieces;
  std::vector<std::byte> data;
};

/// Now, as CheckpointHead::created.
std::string utc_now();

/// Writes `<path>.partial`, syncs it, renames it to `path` and syncs the folder: whatever kills the process,
/// `path` is the old file or the new one, whole. `bytes` is what image.copy_to() wrote. Returns the size of
/// the file. Throws std::runtime_error with path and reason; the .partial file is gone then. A write beyond
/// RLIMIT_FSIZE raises SIGXFSZ: threads of tactus block it.
std::uint64_t write_checkpoint(const std::filesystem::path& path, const CheckpointHead& head,
                               const StateImage& image, std::span<const std::byte> bytes);

/// Throws std::runtime_error with path and reason for anything but a whole checkpoint of a known format, and
/// for a file of more than `most_bytes`: its memory is not even asked for.
Checkpoint read_checkpoint(const std::filesystem::path& path,
                           std::uint64_t most_bytes = std::uint64_t{1} << 30);

/// The same for a file of a run folder, which is never a link.
Checkpoint read_run_checkpoint(const std::filesystem::path& path);

/// Every difference between the checkpoint and this rig, one text each; none: it fits. Pieces go by name. A
/// unit written in another way ("N m", "J") is no difference.
std::vector<std::string> mismatches(const Checkpoint& checkpoint, const StateImage& image,
                                    const rtsync::Period& period);

/// The checkpoint's data in the layout of the image, for image.copy_from(). Throws std::logic_error when a
/// piece of the image is not in it: ask mismatches() first.
std::vector<std::byte> image_for(const Checkpoint& checkpoint, const StateImage& image);

}  // namespace tactus::executive
