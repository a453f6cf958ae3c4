// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Participants that no stream can be opened to. A hidden one accepts on a domain socket alone, which those who
/// use TCP only cannot reach.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "drivers/silkit/core/error.hpp"
#include "drivers/silkit/net/mesh.hpp"
#include "drivers/silkit/net/registry.hpp"
#include "drivers/silkit/wire/proxy_message.hpp"
#include "tests/drivers/silkit/net/support/player.hpp"
#include "tests/drivers/silkit/net/support/relay_talk.hpp"
#include "tests/drivers/silkit/net/support/said.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::test {

/// A player that joins in a thread of its own.
class Joiner {
 public:
  Joiner(const std::string& name, const MeshSettings& settings)
      : player(name, settings), thread_([this] {
          try {
            player.mesh.join();
            joined = true;
          } catch (const Refusal& refusal) {
            why = refusal.what();
          }
        }) {}
  ~Joiner() { wait(); }
  bool wait() {
    if (thread_.joinable()) thread_.join();
    return joined;
  }
  Player player;
  std::atomic<bool> joined{false};
  std::string why;

 private:
  std::thread thread_;
};

class Hidden : public testing::Test, protected Joining {
 protected:
  MeshSettings open() const { return at(uri_); }
  MeshSettings hidden(const std::string& name) const {
    MeshSettings settings = at(uri_);
    settings.domain_sockets = true;
    settings.acceptors = {"local://" + (folder_ / name).string()};
    return settings;
  }
  /// Nobody is asked to connect, so that only the registry is left.
  MeshSettings open_relayed() const {
    MeshSettings settings = open();
    settings.remote_connect = false;
    return settings;
  }
  static bool is_relayed(const Player& player, const std::string& name) {
    return player.said.warnings_with("no stream can be opened between '" + name + "'") > 0;
  }
  /// Somebody by hand, relayed to this player.
  RawStream relayed_to(const std::string& player, const std::string& name) const {
    RawStream stream = registered(uri_, able(name, nobody()));
    stream.say(ProxyMessage{0, name, player, encoded(able(name, nobody()))});
    if (next_relayed(stream).handshake() != RegistryKind::reply) throw std::runtime_error("no reply");
    return stream;
  }

  const tactus::test::TempDir folder_;
  Said said_;
  std::unique_ptr<Registry> registry_ =
      make_registry({.domain_sockets = false, .io_thread = {.name = "registry"}}, said_);
  const std::string uri_ = registry_->listen("silkit://127.0.0.1:0");
};

}  // namespace tactus::silkit::test
