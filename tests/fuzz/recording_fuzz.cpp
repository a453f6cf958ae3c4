// SPDX-License-Identifier: Apache-2.0
// Recordings: any bytes are read as one, or refused with a reason. The first byte says as what they are read:
// c CSV, d MDF 4, m MCAP, t Trick's .trk.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "drivers/record/csv/csv_source.hpp"
#include "drivers/record/mcap/mcap_source.hpp"
#include "drivers/record/mdf4/mdf4_source.hpp"
#include "tests/drivers/record/trk.hpp"

namespace {

using namespace tactus::drivers::record;
using tactus::executive::RecordedFile;
using tactus::executive::RecordSource;

/// A file in memory, gone with this object. It has a name of its own: a link such as /proc/self/fd/3 is refused.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : file_(::mkostemp(path_.data(), O_CLOEXEC)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), path_);
    for (std::size_t done = 0; done < size;) {
      const ssize_t now = ::write(file_, data + done, size - done);
      if (now <= 0) throw std::system_error(errno, std::generic_category(), "write");
      done += static_cast<std::size_t>(now);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    (void)::close(file_);
    (void)::unlink(path_.c_str());
  }

  std::filesystem::path path() const { return path_; }

 private:
  std::string path_ = "/dev/shm/tactus-fuzz-XXXXXX";
  int file_;
};

using Read = std::function<std::unique_ptr<RecordSource>(const std::filesystem::path&)>;
using Examine = std::function<RecordedFile(const std::filesystem::path&)>;

void read_all(const Read& read, const std::filesystem::path& file) {
  try {
    const auto source = read(file);
    std::vector<std::byte> record(tactus::executive::record_bytes(source->head()));
    while (source->next(record.data())) {
    }
  } catch (const std::runtime_error& refused) {
    if (std::string(refused.what()).size() <= file.string().size() + 2)
      throw std::logic_error("refused without a reason");
  }
}

void examine(const Examine& look, const std::filesystem::path& file, std::size_t size) {
  if (!look) return;
  const RecordedFile found = look(file);
  if (found.bytes != size || found.whole > size) throw std::logic_error("more is whole than there is");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Read read = read_csv;
  Examine look;
  if (*data == 'd') read = read_mdf4, look = examine_mdf4;
  if (*data == 'm') read = read_mcap, look = examine_mcap;
  if (*data == 't') read = tactus::test::read_trk, look = tactus::test::examine_trk;
  const MemoryFile file(data + 1, size - 1);
  read_all(read, file.path());
  examine(look, file.path(), size - 1);
  return 0;
}
