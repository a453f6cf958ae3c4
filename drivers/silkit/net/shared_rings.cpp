// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/shared_rings.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tactus::silkit {

struct SharedRings::Memory {
  std::array<std::uint64_t, 2> nonce;
  RingMemory of_maker;  ///< memory that its maker writes
  RingMemory of_other;
};

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

bool is_on_one_host(int socket) {
  if (own_address(socket).ss_family == AF_UNIX) return true;
  const std::optional<std::string> own = own_ip(socket);
  return own && own == remote_ip(socket);
}

SharedRings::SharedRings(Memory& memory, bool made, Descriptor file)
    : memory_(memory),
      file_(std::move(file)),
      in_(made ? memory.of_other : memory.of_maker),
      out_(made ? memory.of_maker : memory.of_other) {}

SharedRings::~SharedRings() { (void)::munmap(&memory_, sizeof(Memory)); }

std::unique_ptr<SharedRings> SharedRings::make() {
  Descriptor file(::memfd_create("tactus-silkit", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0 || ::ftruncate(file.get(), sizeof(Memory)) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
    return nullptr;
  std::array<std::uint64_t, 2> nonce{};
  if (::getrandom(nonce.data(), sizeof nonce, 0) != static_cast<ssize_t>(sizeof nonce)) return nullptr;
  void* const at = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return nullptr;
  auto& memory = *static_cast<Memory*>(at);  // zeros
  memory.nonce = nonce;
  return std::unique_ptr<SharedRings>(new SharedRings(memory, true, std::move(file)));
}

std::unique_ptr<SharedRings> SharedRings::open(const RingMessage& offer, std::string& why) {
  const std::string path =
      "/proc/" + std::to_string(offer.process) + "/fd/" + std::to_string(offer.descriptor);
  const auto in_vain = [&](const std::string& what) {
    why = path + ": " + what;
    return nullptr;
  };
  // First a look at what it is: to open some files has effects.
  struct stat is {};
  if (::stat(path.c_str(), &is) != 0) return in_vain(std::strerror(errno));
  if (!S_ISREG(is.st_mode) || is.st_size != sizeof(Memory)) return in_vain("no memory of rings");
  if (is.st_uid != ::geteuid()) return in_vain("of another user");
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return in_vain(std::strerror(errno));
  const int seals = ::fcntl(file.get(), F_GET_SEALS);
  if (::fstat(file.get(), &is) != 0 || is.st_size != sizeof(Memory) || seals < 0 ||
      (seals & kSeals) != kSeals)
    return in_vain("its size is not sealed");
  void* const at = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return in_vain(std::strerror(errno));
  auto& memory = *static_cast<Memory*>(at);
  std::unique_ptr<SharedRings> rings(new SharedRings(memory, false, Descriptor()));
  if (memory.nonce != offer.nonce) return in_vain("memory of other rings");
  return rings;
}

RingMessage SharedRings::offer(RingMessage::Step step) const {
  return {step, static_cast<std::uint32_t>(::getpid()), static_cast<std::uint32_t>(file_.get()),
          memory_.nonce};
}

}  // namespace tactus::silkit
