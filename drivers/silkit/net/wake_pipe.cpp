// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/wake_pipe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tactus::silkit {

WakePipe::WakePipe(asio::io_context& io, Descriptor reader, Descriptor writer)
    : reader_(io, reader.get()), writer_(std::move(writer)) {
  (void)reader.release();
}

std::unique_ptr<WakePipe> WakePipe::make(asio::io_context& io) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return nullptr;
  Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  try {
    return std::unique_ptr<WakePipe>(new WakePipe(io, std::move(reader), std::move(writer)));
  } catch (const asio::system_error&) {  // epoll takes no more
    return nullptr;
  }
}

void WakePipe::fall_asleep() {
  if (waits_) return;
  waits_ = true;
  reader_.async_read_some(asio::buffer(discarded_), [this](const asio::error_code& error, std::size_t) {
    if (error != asio::error::operation_aborted) waits_ = false;
  });
}

void WakePipe::name_in(RingMessage& message) const {
  struct stat own {};
  if (::fstat(writer_.get(), &own) != 0) return;
  message.pipe.descriptor = static_cast<std::uint32_t>(writer_.get());
  message.pipe.inode = own.st_ino;
}

Descriptor WakePipe::open_other(const RingMessage& message, std::string& why) const {
  const std::string path =
      "/proc/" + std::to_string(message.process) + "/fd/" + std::to_string(message.pipe.descriptor);
  const auto in_vain = [&](const std::string& what) {
    why = path + ": " + what;
    return Descriptor();
  };
  if (message.pipe.inode == 0) {
    why = "it has none";
    return Descriptor();
  }
  struct stat own {};
  struct stat is {};
  const auto is_it = [&] {  // its number belongs to no other pipe of this kernel, nor to a file in a folder
    return S_ISFIFO(is.st_mode) && is.st_dev == own.st_dev && is.st_ino == message.pipe.inode;
  };
  // First a look at what it is: to open some files has effects.
  if (::fstat(writer_.get(), &own) != 0 || ::stat(path.c_str(), &is) != 0)
    return in_vain(std::strerror(errno));
  if (!is_it()) return in_vain("not the pipe that was named");
  if (is.st_uid != ::geteuid()) return in_vain("of another user");
  Descriptor pipe(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (pipe.get() < 0) return in_vain(std::strerror(errno));
  if (::fstat(pipe.get(), &is) != 0 || !is_it()) return in_vain("not the pipe that was named");
  why.clear();
  return pipe;
}

}  // namespace tactus::silkit
