// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/last_writes.hpp"

#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

// One for the process, the executable's. A driver has this code and a variable of its own too.
extern "C" __attribute__((visibility("default"))) std::atomic<int> tactus_last_write_socket;
std::atomic<int> tactus_last_write_socket{-1};

namespace tactus::rtsync {
namespace {

/// Returns the executable's. A driver that is linked with -Bsymbolic would find its own, even by RTLD_DEFAULT.
std::atomic<int>& last_write_socket() {
  void* const executable = ::dlopen(nullptr, RTLD_LAZY);
  void* const found = ::dlsym(executable, "tactus_last_write_socket");
  return found != nullptr ? *static_cast<std::atomic<int>*>(found) : tactus_last_write_socket;
}

/// A message with room for a descriptor.
struct Message {
  explicit Message(LastWrite& write) : part{&write, sizeof write} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = room;
    header.msg_controllen = sizeof room;
  }

  iovec part;
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
};

}  // namespace

bool leave_last_write(int fd, const LastWrite& write) {
  LastWrite copy = write;
  Message message(copy);
  cmsghdr* const with = CMSG_FIRSTHDR(&message.header);
  with->cmsg_level = SOL_SOCKET;
  with->cmsg_type = SCM_RIGHTS;
  with->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(with), &fd, sizeof fd);
  return ::sendmsg(last_write_socket().load(), &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(sizeof copy);
}

LastWrites::LastWrites() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  keeper_ = Descriptor(ends[0]);
  leaver_ = Descriptor(ends[1]);
}

LastWrites::~LastWrites() {
  if (last_write_socket().load() == leaver_.get()) (void)leaver_.release();
}

void LastWrites::leave_from_here() {
  last_write_socket().store(leaver_.get());
  (void)keeper_.close();
}

void LastWrites::take() {
  for (;;) {
    LastWrite write;
    Message message(write);
    const ssize_t bytes = ::recvmsg(keeper_.get(), &message.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return;
    int fd = -1;
    if (const cmsghdr* const with = CMSG_FIRSTHDR(&message.header);
        with != nullptr && with->cmsg_type == SCM_RIGHTS)
      std::memcpy(&fd, CMSG_DATA(with), sizeof fd);
    Descriptor device(fd);
    if (fd < 0 || bytes != static_cast<ssize_t>(sizeof write)) continue;
    const std::scoped_lock lock(keeping_);
    kept_.push_back({std::move(device), write});
  }
}

std::size_t LastWrites::issue() {
  const std::scoped_lock lock(keeping_);
  std::size_t taken = 0;
  for (const Kept& one : kept_) {
    auto argument = one.write.argument;  // the kernel may write into it
    int result = -1;
    while ((result = ::ioctl(one.device.get(), static_cast<unsigned long>(one.write.request),
                             argument.data())) < 0 &&
           errno == EINTR) {
    }
    taken += result >= 0 ? 1 : 0;
  }
  return taken;
}

}  // namespace tactus::rtsync
