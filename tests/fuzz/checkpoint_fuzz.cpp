// SPDX-License-Identifier: Apache-2.0
// Checkpoints: any bytes are refused with a reason, or are a state that fits the rig it names. Each input is
// read as it is, and once more with a right checksum, which no mutation would find.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "executive/state/checkpoint_file.hpp"
#include "executive/state/crc64.hpp"

namespace {

using namespace tactus::executive;
using Bytes = std::vector<std::byte>;

/// A file in memory, gone with this object.
class MemoryFile {
 public:
  explicit MemoryFile(const Bytes& bytes) : file_(::memfd_create("checkpoint", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t now = ::write(file_, bytes.data() + done, bytes.size() - done);
      if (now <= 0) throw std::system_error(errno, std::generic_category(), "write");
      done += static_cast<std::size_t>(now);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { (void)::close(file_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

std::optional<Checkpoint> read(const Bytes& bytes) {
  const MemoryFile file(bytes);
  try {
    return read_checkpoint(file.path());
  } catch (const std::runtime_error& refused) {
    if (std::string(refused.what()).size() <= file.path().size() + 2)
      throw std::logic_error("refused without a reason");
    return std::nullopt;
  }
}

/// The same with eight bytes of checksum behind it, in the place of the last eight.
Bytes with_checksum(Bytes bytes) {
  if (bytes.size() < 8) return bytes;
  const std::uint64_t checksum = crc64(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &checksum, sizeof checksum);
  return bytes;
}

/// Into a rig with the variables that the file names, in memory of its own.
void load(const Checkpoint& found) {
  const CheckpointHead& head = found.head;
  if (head.frame < -1 || head.frame == INT64_MAX ||
      head.sim_time_ns != head.period.times(head.frame + 1).count())
    throw std::logic_error("frame and simulated time contradict each other");
  Bytes memory(found.data.size() + 1);
  std::vector<Piece> pieces;
  for (const CheckpointPiece& piece : found.pieces)
    pieces.push_back(
        {piece.name, piece.type, piece.count, piece.unit, memory.data() + piece.offset, piece.bytes});
  const StateImage image(std::move(pieces));
  if (!mismatches(found, image, head.period).empty())
    throw std::logic_error("it does not fit the rig it names: " +
                           mismatches(found, image, head.period).front());
  const Bytes bytes = image_for(found, image);
  if (bytes.size() != found.data.size()) throw std::logic_error("bytes are lost");
  image.copy_from(bytes.data());
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const Bytes input(bytes.begin(), bytes.end());
  for (const Bytes& each : {input, with_checksum(input)})
    if (const auto found = read(each)) load(*found);
  return 0;
}
