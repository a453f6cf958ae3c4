// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/listener.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "executive/driver/device_error.hpp"
#include "rtsync/host/unix_socket.hpp"

namespace tactus::drivers::live_http {
namespace {

constexpr int kBacklog = 1024;

}  // namespace

Listener::Listener(Address address, const std::filesystem::path& folder) : address_(std::move(address)) {
  try {
    if (address_.is_unix()) {
      in_folder_ = !address_.path.starts_with("/");
      address_.path = std::filesystem::absolute(folder / address_.path).lexically_normal().string();
      open_unix();
    } else {
      open_tcp();
    }
    if (::listen(fd_, kBacklog) != 0) fail("cannot listen", errno, "choose another address");
  } catch (...) {
    close();
    throw;
  }
}

Listener::~Listener() { close(); }

std::string path_problem(const Address& address, bool in_folder) {
  if (rtsync::UnixName(address.path).fits()) return "";
  return address.text() + " has a path of " + std::to_string(address.path.size()) +
         " bytes, and that of a socket has at most " + std::to_string(rtsync::UnixName::kLongest) +
         (in_folder ? "; choose a shorter run folder (--out) or name of the rig, or another place, as "
                    : "; choose a shorter one, as ") +
         "listen: unix:/run/tactus/rig.sock";
}

void Listener::open_unix() {
  const rtsync::UnixName name(address_.path);
  if (const std::string problem = path_problem(address_, in_folder_); !problem.empty())
    throw executive::DeviceError("live.http.listen: " + problem);
  struct stat there {};
  if (::lstat(address_.path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode))
      fail("cannot be made", EEXIST, "it is a file of another kind; choose another name");
    if (rtsync::may_listen(address_.path))
      fail("is taken", EADDRINUSE, "another run listens there: end it, or choose another name");
    if (::unlink(address_.path.c_str()) != 0)
      fail("was left by a run that is over and cannot be removed", errno, "remove it");
  }
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0)
    fail("cannot be made", errno,
         errno == EPERM || errno == EACCES ? "a filter of system calls forbids socket(2); a systemd unit: "
                                             "RestrictAddressFamilies=AF_UNIX, and "
                                             "SystemCallFilter=@network-io beside its other filters"
                                           : "see the limits of this user (ulimit -n)");
  // Before bind: the file never has another mode, whatever the umask.
  if (::fchmod(fd_, S_IRUSR | S_IWUSR) != 0) fail("cannot be protected", errno, "choose another place");
  if (::bind(fd_, name.address(), rtsync::UnixName::size()) != 0)
    fail("cannot be made", errno, "the folder has to exist and be writable by this user");
  struct stat made {};
  if (::lstat(address_.path.c_str(), &made) == 0) {
    device_ = made.st_dev;
    inode_ = made.st_ino;
  }
}

void Listener::open_tcp() {
  int error = bind_tcp();
  if (address_.by_name && !address_.v6 && (error == EADDRNOTAVAIL || error == EAFNOSUPPORT)) {
    close();  // this machine speaks IPv6 alone
    address_.host = "::1";
    address_.v6 = true;
    error = bind_tcp();
  }
  if (error != 0)
    fail(error == EADDRINUSE ? "is in use" : "cannot be opened", error,
         error == EACCES ? "ports below 1024 belong to root: choose one above"
         : error == EADDRINUSE
             ? "end the program that listens there (ss -ltnp), or choose another port, or 0 for a free one"
         : error == EMFILE || error == ENFILE ? "see the limits of this user (ulimit -n)"
         : error == EADDRNOTAVAIL             ? "no interface of this machine has this address (ip addr)"
                                              : "choose another address");
}

/// Opens the socket and gives it its address. Returns 0 or an errno.
int Listener::bind_tcp() {
  sockaddr_storage raw{};
  socklen_t size = 0;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take addresses
  if (address_.v6) {
    auto* const to = reinterpret_cast<sockaddr_in6*>(&raw);
    to->sin6_family = AF_INET6;
    to->sin6_port = htons(address_.port);
    ::inet_pton(AF_INET6, address_.host.c_str(), &to->sin6_addr);
    size = sizeof *to;
  } else {
    auto* const to = reinterpret_cast<sockaddr_in*>(&raw);
    to->sin_family = AF_INET;
    to->sin_port = htons(address_.port);
    ::inet_pton(AF_INET, address_.host.c_str(), &to->sin_addr);
    size = sizeof *to;
  }
  auto* const name = reinterpret_cast<sockaddr*>(&raw);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  fd_ = ::socket(raw.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return errno;
  const int yes = 1;  // a run that ended a moment ago does not keep its port from the next
  (void)::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(fd_, name, size) != 0) return errno;
  size = sizeof raw;
  if (::getsockname(fd_, name, &size) != 0) fail("cannot be asked for its port", errno, "try again");
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast)
  address_.port = ntohs(address_.v6 ? reinterpret_cast<const sockaddr_in6*>(&raw)->sin6_port
                                    : reinterpret_cast<const sockaddr_in*>(&raw)->sin_port);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  return 0;
}

void Listener::fail(const std::string& what, int error, const std::string& fix) {
  throw executive::DeviceError("live.http.listen: " + address_.text() + " " + what + " (" +
                               std::generic_category().message(error) + "); " + fix);
}

void Listener::close() {
  if (fd_ < 0) return;
  ::close(fd_);
  fd_ = -1;
  struct stat now {};
  if (inode_ != 0 && ::lstat(address_.path.c_str(), &now) == 0 && now.st_dev == device_ &&
      now.st_ino == inode_)
    (void)::unlink(address_.path.c_str());
}

}  // namespace tactus::drivers::live_http
