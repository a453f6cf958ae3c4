// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/core/numbered_handlers.hpp"
#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/wire/labels.hpp"
#include "drivers/silkit/wire/rpc_messages.hpp"

namespace tactus::silkit {

enum class RpcStatus : std::uint32_t {
  success = 0,
  server_not_reachable = 1,
  undefined_error = 2,
  internal_server_error = 3,
  timeout = 4,
};

/// A result of a call: one per server, or one timeout.
struct RpcResult {
  std::int64_t time_ns = kNoTime;
  void* user = nullptr;  ///< pointer as given to Rpc::call()
  RpcStatus status = RpcStatus::success;
  ByteView data;
};
/// A call of a client.
struct RpcCall {
  std::int64_t time_ns = kNoTime;
  std::uint64_t handle = 0;  ///< handle for Rpc::submit(); never 0, never used twice
  ByteView data;
};
using RpcResultHandler = Handler<const RpcResult&>;
using RpcCallHandler = Handler<const RpcCall&>;

/// Belongs to Rpc; its members are Rpc's own business.
class RpcClient {
 public:
  std::string name;
  TopicSpec function;
  std::string network;  ///< its UUID as text
  std::uint64_t service = 0;
  Link* calls = nullptr;
  RpcResultHandler handler;
  std::vector<PeerId> servers;  ///< peers of the servers; a participant with two is there twice
  LogThrottle unknown;          ///< results of calls for which no client waits
};

/// Server of calls. It belongs to the engine.
class RpcServer {
 public:
  std::string name;
  TopicSpec function;
  std::uint64_t service = 0;
  RpcCallHandler handler;
};

/// Clients and servers of remote procedure calls. A client announces its function; each server that has it
/// makes a connection of its own to the client, on the client's network, and announces that in turn. From then
/// on the client's calls go to all of its connections.
///
/// Threads  one at a time.
class Rpc final : public Service {
 public:
  static constexpr std::size_t kMostConnections = 10'000;  ///< largest number of one peer

  explicit Rpc(ServiceHost& host) : host_(host) {}

  /// Throw Refusal for a name that is empty or taken.
  RpcClient& create_client(const std::string& name, const TopicSpec& function, RpcResultHandler handler);
  RpcServer& create_server(const std::string& name, const TopicSpec& function, RpcCallHandler handler);
  void on_result(RpcClient& client, RpcResultHandler handler) { client.handler = wanted(std::move(handler)); }
  void on_call(RpcServer& server, RpcCallHandler handler) { server.handler = wanted(std::move(handler)); }

  /// Calls every server that is connected; without one the result is server_not_reachable. After `timeout_ns`
  /// of virtual time, or of time where the participant has no virtual one, the result is a timeout, and what
  /// comes later is dropped.
  void call(RpcClient& client, ByteView data, std::optional<std::int64_t> timeout_ns, void* user);
  /// Throws Refusal unless `handle` is of a call to this server that has no result yet.
  void submit(RpcServer& server, std::uint64_t handle, ByteView data);

  void receive(const Sender& from, std::uint64_t tag, ByteView body) override;
  void service_changed(PeerId peer, const ServiceDescriptor& service, bool created) override;
  void step_begins(std::int64_t now_ns) override;
  std::optional<std::int64_t> wake_at() const override;
  void tick() override;

 private:
  /// A server's, to one client.
  struct Connection {
    RpcServer* server = nullptr;
    PeerId peer = kThisParticipant;  // where the client is
    std::string client;              // its UUID
    Link* results = nullptr;
    std::optional<std::size_t> index;  // of the subscription to its calls
    std::uint64_t service = 0;
    std::set<Uuid> open;  // calls
  };
  /// A call of a client that some servers have not answered.
  struct Pending {
    RpcClient* client = nullptr;
    Uuid uuid;
    void* user = nullptr;
    std::vector<PeerId> servers;
    std::optional<std::int64_t> timeout_ns;  // that waits for the first step to begin
    std::optional<std::int64_t> step_limit_ns;
    std::optional<std::int64_t> clock_limit_ns;
  };
  using Pendings = std::map<std::uint64_t, Pending>;  // by number, in the order of the calls
  struct Open {
    RpcServer* server = nullptr;
    std::uint64_t connection = 0;
    Uuid uuid;
  };

  void connect(RpcServer& server, PeerId peer, const std::string& client);
  void disconnect(PeerId peer, const std::string& client);
  void connect_remote(RpcServer& server, PeerId peer, const ServiceDescriptor& service);
  void take_call(std::uint64_t connection, const FunctionCall& call, bool own);
  void respond(const Connection& connection, const FunctionCallResponse& response, bool own);
  void take_response(RpcClient& client, PeerId peer, const FunctionCallResponse& response, bool own);
  void tell(RpcClient& client, const RpcResult& result, bool own);
  void set_limit(std::uint64_t number, std::optional<std::int64_t> Pending::*limit, std::int64_t now_ns);
  void time_out(std::optional<std::int64_t> Pending::*limit, std::int64_t now_ns);
  void forget(Pendings::iterator pending);
  void lose_server(RpcClient& client, PeerId peer);

  ServiceHost& host_;
  std::deque<RpcClient> clients_;  // stay where they are
  std::deque<RpcServer> servers_;  // likewise
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t next_connection_ = 0;
  Pendings pendings_;
  std::map<Uuid, std::uint64_t> numbers_;                          // of the pendings
  std::set<std::pair<std::int64_t, std::uint64_t>> clock_limits_;  // with the number
  std::uint64_t next_number_ = 0;
  std::map<std::uint64_t, Open> open_;  // by handle
  std::uint64_t next_handle_ = 1;
};

}  // namespace tactus::silkit
