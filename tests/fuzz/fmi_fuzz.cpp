// SPDX-License-Identifier: Apache-2.0
// An FMU from anywhere: any bytes as archive, and any as modelDescription.xml, are taken or refused with a reason. The
// first byte of the input says which of the two it is.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/fmi/archive/archive.hpp"
#include "drivers/fmi/description/description.hpp"

using namespace tactus::drivers::fmi;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] == 'x') {
    std::vector<Finding> findings;
    (void)read_description({reinterpret_cast<const char*>(data) + 1, size - 1}, findings);
    for (const Finding& finding : findings)
      if (finding.message().size() > 20'000) throw std::logic_error("a message of more than 20 kB");
    return 0;
  }
  try {
    ArchiveLimits limits;
    limits.bytes = 1 << 20;
    limits.description_bytes = 1 << 20;
    static const int file = ::memfd_create("fuzz.fmu", MFD_CLOEXEC);
    if (::ftruncate(file, 0) != 0 || ::pwrite(file, data + 1, size - 1, 0) != static_cast<ssize_t>(size - 1))
      throw std::logic_error("the file cannot be written");
    const Archive archive("/proc/self/fd/" + std::to_string(file), limits);
    for (const ArchiveFile& entry : archive.files())
      if (entry.name.find("..") == 0 || entry.name.front() == '/')
        throw std::logic_error("a name that leads out");
    (void)archive.description();
  } catch (const ArchiveError& error) {
    if (error.problems().empty()) throw std::logic_error("no reason");
  }
  return 0;
}
