#include <arpa/inet.h>
#include <netdb.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "config/json.hpp"
#include "executive/app/silkit_participant.hpp"

namespace tactus::app {
namespace {

struct Destroy {
  void operator()(SilKit_Vendor_Vector_SilKitRegistry* registry) const {
    (void)SilKit_Vendor_Vector_SilKitRegistry_Destroy(registry);
  }
};
using Registry = std::unique_ptr<SilKit_Vendor_Vector_SilKitRegistry, Destroy>;

/// "[::1]:8500/a" of silkit://[::1]:8500/a is the host ::1.
std::string host_of(const std::string& uri) {
  const std::size_t scheme = uri.find("://");
  std::string host = uri.substr(scheme == std::string::npos ? 0 : scheme + 3);
  host = host.substr(0, host.find('/'));
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.rfind(':'));
}

bool is_loopback(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return false;
  bool all = true;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family == AF_INET) {
      sockaddr_in address{};
      std::memcpy(&address, each->ai_addr, sizeof address);
      all = all && (ntohl(address.sin_addr.s_addr) >> 24) == 127;
    } else if (each->ai_family == AF_INET6) {
      sockaddr_in6 address{};
      std::memcpy(&address, each->ai_addr, sizeof address);
      all = all && IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
    }
  }
  ::freeaddrinfo(found);
  return all;
}

/// A participant configuration that leads here; complete before it is there, as somebody may wait for it.
void write_configuration(const std::string& file, const std::string& uri) {
  const std::string part = file + ".part";
  std::ofstream stream(part);
  stream << config::Json{{"Middleware", {{"RegistryUri", uri}}}}.dump(2) << "\n";
  stream.close();
  if (!stream || std::rename(part.c_str(), file.c_str()) != 0)
    throw CommandError(kEndedEarly, "--generate-configuration " + file + ": cannot be written");
}

}  // namespace

int registry_command(const RegistryArguments& arguments) {
  Attention attention;
  const SilKitConfiguration configuration(arguments.silkit);
  const std::string wanted = configuration.uri();
  SilKit_Vendor_Vector_SilKitRegistry* made = nullptr;
  must(SilKit_Vendor_Vector_SilKitRegistry_Create(&made, configuration.get()), "registry");
  const Registry registry(made);
  const char* uri = nullptr;
  must(SilKit_Vendor_Vector_SilKitRegistry_StartListening(registry.get(), wanted.c_str(), &uri),
       "--listen-uri " + wanted);
  if (!is_loopback(host_of(wanted)))
    std::fprintf(
        stderr,
        "tactus: warning: %s can be reached from other machines, and whoever reaches it takes part unasked; "
        "keep it in a network you trust, or listen on silkit://localhost:8500\n",
        uri);
  if (!arguments.generate.empty()) write_configuration(arguments.generate, uri);
  std::printf("listening on %s\n", uri);
  std::fflush(stdout);
  while (attention.wait() != Attention::Call::signal) {
  }
  return kOk;
}

}  // namespace tactus::app
