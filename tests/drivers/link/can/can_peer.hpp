// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A virtual control unit on a CAN network, in this process, of a SIL Kit library that is given by path.
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "tests/drivers/silkit/integration/programs/library.hpp"

struct SilKit_CanController;

namespace tactus::test {

/// "Peer": coordinated with "Rig", 1 ms steps. In step n it sends frame 0x200 with n in its first two bytes, and frame 0x201
/// in each tenth step; before its controller is started, in step 0, nothing can go out.
class CanPeer {
 public:
  CanPeer(const std::string& library, const std::string& uri, const std::string& network);
  ~CanPeer();
  CanPeer(const CanPeer&) = delete;
  CanPeer& operator=(const CanPeer&) = delete;

  struct Heard {
    std::uint32_t id = 0;
    std::uint64_t stamp = 0;
    std::uint64_t step_ns = 0;  ///< virtual time of the peer's step in which it came
    std::vector<std::uint8_t> data{};
  };
  std::vector<Heard> heard();
  /// Lets it send this frame in each step from the second on, too: `data` zeros. @when setup
  void also_send(std::uint32_t id, std::uint32_t flags, std::size_t data);
  int acknowledged();
  int sent();

 private:
  void step(std::uint64_t now);
  void send(std::uint32_t id, std::vector<std::uint8_t> data, std::uint32_t flags = 0);
  struct Also {
    std::uint32_t id = 0, flags = 0;
    std::size_t data = 0;
  };

  const Library& library_;
  std::string path_;
  SilKit_Participant* participant_ = nullptr;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  SilKit_TimeSyncService* time_ = nullptr;
  SilKit_CanController* controller_ = nullptr;
  std::mutex mutex_;
  std::vector<Heard> heard_;
  std::vector<Also> also_;
  std::uint64_t now_ = 0;
  int steps_ = 0, acknowledged_ = 0, sent_ = 0;
};

}  // namespace tactus::test
