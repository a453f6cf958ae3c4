// SPDX-License-Identifier: Apache-2.0
#pragma once
/// RPC, CAN, Ethernet and LIN of one participant of a SimNetwork, and what its observer sees of them.
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "drivers/silkit/core/can.hpp"
#include "drivers/silkit/core/engine.hpp"
#include "drivers/silkit/core/ethernet.hpp"
#include "drivers/silkit/core/lin.hpp"
#include "drivers/silkit/core/rpc.hpp"

namespace tactus::silkit::test {

/// The server is master of a LIN bus on which everybody answers an identifier of his own.
///
/// Checks: frames of each sender come in order, none twice, none missing; each call has one result, with its own answer,
/// or is reported as lost; a LIN response is that of its identifier, comes at most once per header, and nobody sends
/// what was not asked for; no handler is called once the participant is gone.
///
/// Threads  one.
class SimServices {
 public:
  using Complain = std::function<void(const std::string&)>;
  /// `serves`: it answers calls, now and then later; `gone`: it has left.
  SimServices(std::string name, Engine& engine, bool serves, Complain complain, std::function<bool()> gone);
  SimServices(const SimServices&) = delete;
  SimServices& operator=(const SimServices&) = delete;

  /// Calls the server, and sends a frame on each bus.
  void use();
  /// Answers the calls that wait.
  void answer();
  /// Every call whose time is over by `now_ns` must have its result.
  void check_end(std::int64_t now_ns);
  std::size_t results() const { return results_; }
  std::size_t lost() const { return lost_; }
  std::size_t frames() const { return frames_; }
  std::size_t responses() const { return responses_; }

 private:
  struct Call {
    std::int64_t begun_ns = 0;
    int results = 0;
  };
  void take_result(const RpcResult& result);
  void take_frame(const std::string& bus, ByteView data);
  void join_lin(bool master);
  void take_response(const LinFrameEvent& event);
  void check_there(const char* what);

  const std::string name_;
  Engine& engine_;
  const Complain complain_;
  const std::function<bool()> gone_;
  RpcClient* client_ = nullptr;
  RpcServer* server_ = nullptr;
  CanController* can_ = nullptr;
  EthernetController* ethernet_ = nullptr;
  LinController* lin_ = nullptr;
  std::map<std::uint8_t, std::size_t> headers_;   // of the master that have no response yet, by identifier
  std::map<std::uint64_t, std::string> waiting_;  // calls that the server has not answered, by handle
  std::map<std::size_t, Call> calls_;             // by number
  std::size_t sent_ = 0;
  std::map<std::string, std::size_t> next_;  // frame, by bus and sender
  std::size_t results_ = 0, lost_ = 0, frames_ = 0, responses_ = 0;
};

}  // namespace tactus::silkit::test
