// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace tactus::silkit {
namespace {

constexpr int kBacklog = 1024;

[[noreturn]] void cannot(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr* generic(sockaddr_storage& storage) {
  return reinterpret_cast<sockaddr*>(&storage);  // how the socket calls take every address
}
const sockaddr* generic(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr*>(&storage);
}

Address path_address(const Uri& uri) {
  Address address;
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  if (uri.path.empty() || uri.path.size() >= sizeof local.sun_path)
    throw std::runtime_error(uri.text() + ": the path of a domain socket has 1 to " +
                             std::to_string(sizeof local.sun_path - 1) + " bytes");
  std::memcpy(&local.sun_path, uri.path.data(), uri.path.size());
  std::memcpy(&address.storage, &local, sizeof local);
  address.size = sizeof local;
  address.text = uri.text();
  return address;
}

std::string ip_text(const sockaddr_storage& storage) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* ip = storage.ss_family == AF_INET
                       ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(storage).sin_addr)
                       : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
  (void)::inet_ntop(storage.ss_family, ip, text.data(), text.size());
  return text.data();
}

std::uint16_t port_of(const sockaddr_storage& storage) {
  return ntohs(storage.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(storage).sin_port
                                            : reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
}

/// Returns an address of no family, all zero, when it cannot be found out.
sockaddr_storage address_of_end(int socket, int (*end)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  return end(socket, generic(storage), &size) == 0 ? storage : sockaddr_storage{};
}

bool is_ip(const sockaddr_storage& storage) {
  return storage.ss_family == AF_INET || storage.ss_family == AF_INET6;
}

std::optional<std::string> ip_of_end(int socket, int (*end)(int, sockaddr*, socklen_t*)) {
  const sockaddr_storage storage = address_of_end(socket, end);
  return is_ip(storage) ? std::optional(ip_text(storage)) : std::nullopt;
}

/// Removes a socket at the path if no process listens at it any more.
void remove_old_socket(const std::string& path, const Address& address) {
  struct stat file {};
  if (::lstat(path.c_str(), &file) != 0) return;
  if (!S_ISSOCK(file.st_mode)) throw std::runtime_error(path + " exists and is not a socket");
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(probe.get(), generic(address.storage), address.size) == 0 || errno == EAGAIN)
    throw std::runtime_error("another process listens at " + path + " already");
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) cannot("removing the old socket " + path);
}

/// An idle stream is probed; where bytes wait for an answer, or a probe does, the kernel ends the stream in time.
void watch_host(int socket, std::chrono::seconds timeout) {
  const int on = 1;
  const int every = static_cast<int>(std::max<std::int64_t>(timeout.count() / 3, 1));
  const int probes = 3;
  const auto most = static_cast<unsigned>(std::chrono::milliseconds(timeout).count());
  (void)::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &every, sizeof every);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof most);
}

}  // namespace

void apply(int socket, const SocketOptions& options) {
  const int on = 1;
  if (options.no_delay) (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (options.quick_ack) (void)::setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
  if (options.send_buffer)
    (void)::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &*options.send_buffer, sizeof(int));
  if (options.receive_buffer)
    (void)::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &*options.receive_buffer, sizeof(int));
  if (options.host_timeout.count() > 0) watch_host(socket, options.host_timeout);
}

std::vector<Address> addresses_of(const Uri& uri) {
  if (uri.scheme == Uri::Scheme::local) return {path_address(uri)};
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(uri.port);
  if (const int error = ::getaddrinfo(uri.host.c_str(), port.c_str(), &hints, &found); error != 0)
    throw std::runtime_error(uri.text() + ": host '" + uri.host + "': " + ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    if (at->ai_family != AF_INET && at->ai_family != AF_INET6) continue;
    Address address;
    std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
    address.size = at->ai_addrlen;
    Uri numeric{.scheme = Uri::Scheme::tcp, .host = ip_text(address.storage), .port = uri.port};
    address.text = numeric.text();
    addresses.push_back(std::move(address));
  }
  std::stable_partition(addresses.begin(), addresses.end(),
                        [](const Address& address) { return address.storage.ss_family == AF_INET; });
  if (addresses.empty()) throw std::runtime_error(uri.text() + ": host '" + uri.host + "' has no IP address");
  return addresses;
}

sockaddr_storage own_address(int socket) { return address_of_end(socket, &::getsockname); }
std::optional<std::string> own_ip(int socket) { return ip_of_end(socket, &::getsockname); }
std::optional<std::string> remote_ip(int socket) { return ip_of_end(socket, &::getpeername); }

bool is_its_own_peer(int socket) {
  const sockaddr_storage near = own_address(socket);
  const sockaddr_storage far = address_of_end(socket, &::getpeername);
  return is_ip(near) && std::memcmp(&near, &far, sizeof near) == 0;
}

int begin_connect(Descriptor& socket, const Address& to, const SocketOptions& options) {
  socket = Descriptor(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return errno;
  apply(socket.get(), options);
  int result = 0;
  do result = ::connect(socket.get(), generic(to.storage), to.size);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

int connect_result(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error == 0 && is_its_own_peer(socket) ? ECONNREFUSED : error;
}

Listener::Listener(const Uri& uri, const SocketOptions& options) : uri_(uri) {
  const Address address = addresses_of(uri).front();
  const int family = address.storage.ss_family;
  Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) cannot(address.text);
  apply(socket.get(), options);
  const int on = 1;
  if (family == AF_UNIX)
    remove_old_socket(uri.path, address);
  else
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) (void)::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(socket.get(), generic(address.storage), address.size) != 0) cannot(address.text);
  if (family == AF_UNIX) {
    // Before listen(): nobody can connect while the mode is still the umask's.
    if (::chmod(uri.path.c_str(), 0770) != 0 || ::lstat(uri.path.c_str(), &file_) != 0) cannot(address.text);
  }
  if (::listen(socket.get(), kBacklog) != 0) cannot(address.text);
  if (family != AF_UNIX) {
    const sockaddr_storage real = own_address(socket.get());
    if (!is_ip(real)) cannot(address.text);
    uri_.port = port_of(real);
  }
  socket_ = std::move(socket);
}

Listener::~Listener() {
  if (socket_.get() < 0 || file_.st_ino == 0) return;
  struct stat now {};
  if (::lstat(uri_.path.c_str(), &now) == 0 && now.st_ino == file_.st_ino && now.st_dev == file_.st_dev)
    (void)::unlink(uri_.path.c_str());
}

}  // namespace tactus::silkit
