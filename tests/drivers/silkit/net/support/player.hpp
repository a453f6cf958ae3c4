// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/core/error.hpp"
#include "drivers/silkit/net/mesh.hpp"
#include "tests/drivers/silkit/net/support/said.hpp"

namespace tactus::silkit::test {

template <class... Args, class Function>
auto handler(Function function) {
  return std::make_shared<const std::function<void(Args...)>>(std::move(function));
}

/// The settings of a participant that joins at this registry, over TCP.
inline MeshSettings at(const std::string& registry) {
  MeshSettings settings;
  settings.registry_uri = registry;
  settings.domain_sockets = false;
  settings.io_thread.name = "io";
  return settings;
}

/// An engine with its mesh, owned as the API owns them.
class Player final : public MeshOwner {
 public:
  Player(const std::string& name, const MeshSettings& settings, double animation_factor = 0)
      : engine_(named(name, animation_factor), relay_, said),
        made_(make_mesh(settings, *this, said)),
        mesh(*made_) {
    relay_.mesh = &mesh;
  }
  ~Player() override { mesh.leave(); }

  std::unique_lock<std::mutex> lock() override { return std::unique_lock(mutex_); }
  Engine& engine() override { return engine_; }
  void serve() override {
    auto held = lock();
    for (Call call; engine_.next_call(call);) {
      held.unlock();
      const std::string thrown = call.make();
      held.lock();
      engine_.call_ended(call, thrown);
    }
    mesh.flush();
  }

  /// A call of the user's, from the user's thread.
  template <class Function>
  auto with_engine(Function function) {
    const auto held = lock();
    struct Served {
      Mesh& mesh;
      ~Served() {
        mesh.flush();
        mesh.wake();
      }
    } served{mesh};
    return function(engine_);
  }
  std::vector<std::string> peers() {
    return with_engine([](Engine& engine) { return engine.peers(); });
  }
  bool sees(const std::string& name) {
    return with_engine([&](Engine& engine) { return engine.is_connected(name); });
  }

 private:
  /// The engine is made first, and the mesh is its outbox.
  struct Relay final : Outbox {
    Mesh* mesh = nullptr;
    void send(PeerId peer, const Pieces& message, bool) override { mesh->send(peer, message); }
  };
  static EngineSettings named(const std::string& name, double animation_factor) {
    EngineSettings settings;
    settings.animation_factor = animation_factor;
    settings.name = name;
    return settings;
  }

  std::mutex mutex_;
  Relay relay_;

 public:
  Said said;

 private:
  Engine engine_;
  const std::unique_ptr<Mesh> made_;

 public:
  Mesh& mesh;
};

/// For fixtures.
struct Joining {
  static std::unique_ptr<Player> joined(const std::string& name, const MeshSettings& settings) {
    auto player = std::make_unique<Player>(name, settings);
    player->mesh.join();
    return player;
  }
  /// What keeps somebody from joining.
  static Refusal refused(const std::string& name, const MeshSettings& settings) {
    Player player(name, settings);
    try {
      player.mesh.join();
    } catch (const Refusal& refusal) {
      return refusal;
    }
    return {Code::success, "it joined"};
  }
};

}  // namespace tactus::silkit::test
