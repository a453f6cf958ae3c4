// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Three hosts, which are network namespaces: the registry's, and two that are joined to it by a wire each. Left and
/// Right reach each other only when a test lets them.
///
///     Left 10.77.1.2 --- 10.77.1.1 Middle 10.77.2.1 --- 10.77.2.2 Right        registry at 10.77.0.1, in Middle
///     Left also has 10.77.9.1, which no other host knows
#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "tests/drivers/silkit/integration/stage.hpp"

namespace tactus::test {

/// The text of a command that failed.
struct NotPermitted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void command(const std::string& line) {
  std::stringstream stream(line);
  std::vector<std::string> argv;
  for (std::string word; stream >> word;) argv.push_back(word);
  Finished done;
  try {
    done = run({.argv = argv});
  } catch (const std::system_error& failure) {
    throw NotPermitted(line + ": " + failure.what());
  }
  if (done.status != 0) throw NotPermitted(line + ": " + done.err);
}

/// Namespaces with wires; they are gone with it, and what runs in them must be by then.
class Hosts {
 public:
  Hosts() {
    try {
      for (const std::string& host : {middle, left, right}) {
        command("ip netns add " + host);
        made_.push_back(host);
        in(host, "ip link set lo up");
      }
      wire(left, "10.77.1");
      wire(right, "10.77.2");
      in(middle, "ip address add 10.77.0.1/32 dev lo");
      in(left, "ip address add 10.77.9.1/32 dev lo");
      in(middle, "sysctl -q -w net.ipv4.ip_forward=0");
    } catch (...) {
      remove();
      throw;
    }
  }
  ~Hosts() { remove(); }
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  /// Left and Right reach each other.
  void connect() const {
    in(middle, "sysctl -q -w net.ipv4.ip_forward=1");
    in(left, "ip route add default via 10.77.1.1");
    in(right, "ip route add default via 10.77.2.1");
  }
  /// They know a way to each other, on which all is lost.
  void lose() const {
    connect();
    in(middle, "sysctl -q -w net.ipv4.ip_forward=0");
  }
  /// Middle forwards for Left in its own name; Right knows of no host behind it. Throws NotPermitted, too.
  void translate() const {
    in(middle, "sysctl -q -w net.ipv4.ip_forward=1");
    in(left, "ip route add default via 10.77.1.1");
    in(middle, "nft add table ip nat");
    in(middle, "nft add chain ip nat out { type nat hook postrouting priority 100 ; }");
    in(middle, "nft add rule ip nat out oifname m2 masquerade");
  }
  /// The wire of a host, pulled or plugged in at the other end.
  void set_wire(const std::string& host, bool plugged) const {
    in(middle, std::string("ip link set ") + (host == left ? "m1" : "m2") + (plugged ? " up" : " down"));
  }
  static Side on(const std::string& host, Side side) {
    side.host = {"ip", "netns", "exec", host};
    return side;
  }

  const std::string tag = std::to_string(::getpid());
  const std::string middle = "tactus-middle-" + tag;
  const std::string left = "tactus-left-" + tag;
  const std::string right = "tactus-right-" + tag;

 private:
  static void in(const std::string& host, const std::string& line) {
    command("ip netns exec " + host + " " + line);
  }
  void wire(const std::string& host, const std::string& net) const {
    const std::string near = "m" + net.substr(net.size() - 1);
    command("ip link add " + near + " netns " + middle + " type veth peer name wire netns " + host);
    in(middle, "ip address add " + net + ".1/24 dev " + near);
    in(middle, "ip link set " + near + " up");
    in(host, "ip address add " + net + ".2/24 dev wire");
    in(host, "ip link set wire up");
    in(host, "ip route add 10.77.0.1 via " + net + ".1");
  }
  void remove() {
    for (const std::string& host : made_) (void)run({.argv = {"ip", "netns", "delete", host}});
    made_.clear();
  }

  std::vector<std::string> made_;
};

}  // namespace tactus::test
