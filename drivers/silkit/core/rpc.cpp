// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/rpc.hpp"

#include <algorithm>
#include <memory>

#include "drivers/silkit/core/error.hpp"

namespace tactus::silkit {
namespace {

constexpr std::string_view kServerInternal = "RpcServerInternal";
constexpr std::string_view kClientUuid = "Rpc::serverinternal::clientUUID";

// Tags of subscriptions: results for a client, by its place; calls of a connection, by its number.
constexpr std::uint64_t results_for(std::uint64_t client) { return 2 * client; }
constexpr std::uint64_t calls_of(std::uint64_t connection) { return 2 * connection + 1; }

constexpr TopicKeys kClient{NetworkType::rpc,         "RpcClient",           "Rpc::client::functionName",
                            "Rpc::client::mediaType", "Rpc::client::labels", "Rpc::client::UUID"};
constexpr TopicKeys kServer{NetworkType::rpc, "RpcServer", "Rpc::server::functionName",
                            "Rpc::server::mediaType", "Rpc::server::labels"};

}  // namespace

// --------------------------------------------------------------------------------- who is there, and for whom

RpcClient& Rpc::create_client(const std::string& name, const TopicSpec& function, RpcResultHandler handler) {
  check_service_name(name, "RPC client", clients_);
  const std::uint64_t tag = results_for(clients_.size());
  RpcClient& client = clients_.emplace_back();
  client.name = name;
  client.function = function;
  client.handler = std::move(handler);
  client.network = Uuid::random().text();
  client.calls = &host_.senders().link(client.network, message_type::kFunctionCall);
  (void)host_.subscribe(*this, tag, client.network, message_type::kFunctionCallResponse);
  client.service = host_.services().announce(announcement_of(kClient, name, client.network, function));
  for (RpcServer& server : servers_)
    if (topics_match(server.function, function)) connect(server, kThisParticipant, client.network);
  return client;
}

RpcServer& Rpc::create_server(const std::string& name, const TopicSpec& function, RpcCallHandler handler) {
  check_service_name(name, "RPC server", servers_);
  RpcServer& server = servers_.emplace_back();
  server.name = name;
  server.function = function;
  server.handler = std::move(handler);
  server.service =
      host_.services().announce(announcement_of(kServer, name, std::string(kDefaultNetwork), function));
  host_.services().each([&](PeerId peer, const ServiceDescriptor& each) {
    if (each.attribute("controller.type") == kClient.type) connect_remote(server, peer, each);
  });
  for (const RpcClient& client : clients_)
    if (topics_match(function, client.function)) connect(server, kThisParticipant, client.network);
  return server;
}

void Rpc::connect_remote(RpcServer& server, PeerId peer, const ServiceDescriptor& service) {
  if (service.attribute(kClient.topic) != server.function.topic) return;
  const std::optional<TopicSpec> function = announced_topic(kClient, service);
  if (!function) {
    host_.log(LogTopic::rpc, LogSink::Level::warn,
              "RPC client " + service.name + " of participant " + service.participant +
                  " does not say, or not readably, what it calls, and is ignored");
    return;
  }
  if (topics_match(server.function, *function))
    connect(server, peer, std::string(service.attribute(kClient.uuid)));
}

void Rpc::connect(RpcServer& server, PeerId peer, const std::string& client) {
  const auto of_peer = [&](const auto& each) { return each.second.peer == peer; };
  if (peer != kThisParticipant &&
      static_cast<std::size_t>(std::ranges::count_if(connections_, of_peer)) >= kMostConnections)
    throw WireError("it has more than " + std::to_string(kMostConnections) + " RPC clients that match");
  const std::uint64_t number = next_connection_++;
  Connection& made = connections_[number];
  made.server = &server;
  made.peer = peer;
  made.client = client;
  made.results = &host_.senders().link(client, message_type::kFunctionCallResponse);
  if (peer != kThisParticipant)
    made.index = host_.subscribe(*this, calls_of(number), client, message_type::kFunctionCall, peer);
  made.service = host_.services().announce(
      {.type = ServiceType::controller,
       .network = client,
       .network_type = NetworkType::rpc,
       .name = Uuid::random().text(),
       .attributes = {{"controller.type", std::string(kServerInternal)},
                      {std::string(kClientUuid), client},
                      {"Rpc::serverinternal::parentServiceId", std::to_string(server.service)}}});
  if (peer != kThisParticipant) return;
  for (RpcClient& own : clients_)
    if (own.network == client) own.servers.push_back(kThisParticipant);
}

/// The client has gone.
void Rpc::disconnect(PeerId peer, const std::string& client) {
  for (auto at = connections_.begin(); at != connections_.end();) {
    Connection& gone = at->second;
    if (gone.peer != peer || gone.client != client) {
      ++at;
      continue;
    }
    host_.services().withdraw(gone.service);
    if (gone.index) host_.unsubscribe(*gone.index);
    host_.senders().forget(client, message_type::kFunctionCallResponse);
    at = connections_.erase(at);
  }
}

void Rpc::service_changed(PeerId peer, const ServiceDescriptor& service, bool created) {
  const std::string_view type = service.attribute("controller.type");
  if (type == kClient.type) {
    if (!created) return disconnect(peer, std::string(service.attribute(kClient.uuid)));
    for (RpcServer& server : servers_) connect_remote(server, peer, service);
  } else if (type == kServerInternal) {
    const std::string_view uuid = service.attribute(kClientUuid);
    for (RpcClient& client : clients_) {
      if (client.network != uuid) continue;
      created ? client.servers.push_back(peer) : lose_server(client, peer);
    }
  }
}

void Rpc::lose_server(RpcClient& client, PeerId peer) {
  const auto erase_one = [peer](std::vector<PeerId>& from) {
    const auto at = std::ranges::find(from, peer);
    if (at == from.end()) return false;
    from.erase(at);
    return true;
  };
  if (!erase_one(client.servers)) return;
  std::size_t lost = 0;
  for (auto at = pendings_.begin(); at != pendings_.end();) {
    const auto pending = at++;
    if (pending->second.client != &client || !erase_one(pending->second.servers)) continue;
    ++lost;
    const bool times_out =
        pending->second.timeout_ns || pending->second.step_limit_ns || pending->second.clock_limit_ns;
    if (pending->second.servers.empty() && !times_out) forget(pending);
  }
  if (lost > 0)
    host_.log(LogTopic::rpc, LogSink::Level::warn,
              "RPC client " + client.name + ": a server of " + client.function.topic +
                  " has left without a result of " + std::to_string(lost) + (lost == 1 ? " call" : " calls"));
}

// ----------------------------------------------------------------------------------------- calls and results

void Rpc::call(RpcClient& client, ByteView data, std::optional<std::int64_t> timeout_ns, void* user) {
  const std::int64_t now_ns = host_.now_ns();
  if (client.servers.empty()) return tell(client, {now_ns, user, RpcStatus::server_not_reachable, {}}, true);
  const FunctionCall call{now_ns, Uuid::random(), data};
  const std::uint64_t number = next_number_++;
  pendings_.emplace(number, Pending{&client, call.uuid, user, client.servers, timeout_ns, {}, {}});
  numbers_.emplace(call.uuid, number);
  if (timeout_ns && !host_.has_virtual_time())
    set_limit(number, &Pending::clock_limit_ns, host_.steady_ns());
  else if (timeout_ns && now_ns != kNoTime)
    set_limit(number, &Pending::step_limit_ns, now_ns);
  host_.senders().broadcast(*client.calls, client.service, call);
  for (const auto& [id, connection] : connections_)
    if (connection.peer == kThisParticipant && connection.client == client.network) take_call(id, call, true);
}

void Rpc::set_limit(std::uint64_t number, std::optional<std::int64_t> Pending::*limit, std::int64_t now_ns) {
  Pending& pending = pendings_.at(number);
  pending.*limit = later_time(now_ns, *pending.timeout_ns);
  pending.timeout_ns.reset();
  if (limit == &Pending::clock_limit_ns) clock_limits_.emplace(*pending.clock_limit_ns, number);
}

void Rpc::take_call(std::uint64_t number, const FunctionCall& call, bool own) {
  Connection& connection = connections_.at(number);
  if (!connection.open.insert(call.uuid).second) {
    host_.log(LogTopic::rpc, LogSink::Level::warn,
              "RPC server " + connection.server->name + ": a call has come that is open already");
    return respond(connection, {host_.now_ns(), call.uuid, {}, FunctionCallResponse::Status::internal_error},
                   own);
  }
  const std::uint64_t handle = next_handle_++;
  open_.emplace(handle, Open{connection.server, number, call.uuid});
  host_.call(
      "RPC call",
      [this, server = connection.server, handle, time_ns = call.time_ns,
       data = std::make_shared<const Bytes>(call.data.begin(), call.data.end())] {
        return [handler = server->handler, event_time = stamp(host_, time_ns), handle, data] {
          if (handler && *handler) (*handler)({event_time, handle, *data});
        };
      },
      own);
}

void Rpc::submit(RpcServer& server, std::uint64_t handle, ByteView data) {
  const auto found = open_.find(handle);
  if (found == open_.end() || found->second.server != &server)
    throw Refusal(Code::wrong_state,
                  "RPC server " + server.name +
                      ": the call handle is not of an open call to this server; a call has one result");
  const Open call = found->second;
  open_.erase(found);
  const auto connection = connections_.find(call.connection);
  if (connection == connections_.end()) return;  // the client has gone
  connection->second.open.erase(call.uuid);
  respond(connection->second, {host_.now_ns(), call.uuid, data, FunctionCallResponse::Status::success}, true);
}

void Rpc::respond(const Connection& connection, const FunctionCallResponse& response, bool own) {
  if (connection.peer != kThisParticipant) {
    host_.senders().send(*connection.results, connection.peer, connection.service, response);
    return;
  }
  for (RpcClient& client : clients_)
    if (client.network == connection.client) take_response(client, kThisParticipant, response, own);
}

void Rpc::take_response(RpcClient& client, PeerId peer, const FunctionCallResponse& response, bool own) {
  const auto number = numbers_.find(response.uuid);
  const auto pending = number == numbers_.end() ? pendings_.end() : pendings_.find(number->second);
  const bool known = pending != pendings_.end() && pending->second.client == &client;
  std::vector<PeerId>* const from = known ? &pending->second.servers : nullptr;
  const auto server = known ? std::ranges::find(*from, peer) : std::vector<PeerId>::iterator();
  if (!known || server == from->end()) {
    if (const auto suffix = client.unknown.suffix(host_.steady_ns()))
      host_.log(LogTopic::rpc, LogSink::Level::warn,
                "RPC client " + client.name +
                    ": a result has come that no call waits for; perhaps after its "
                    "timeout" +
                    *suffix);
    return;
  }
  from->erase(server);
  RpcResult result{response.time_ns, pending->second.user, RpcStatus::undefined_error, response.data};
  if (response.status == FunctionCallResponse::Status::success) result.status = RpcStatus::success;
  if (response.status == FunctionCallResponse::Status::internal_error)
    result.status = RpcStatus::internal_server_error;
  if (from->empty()) forget(pending);
  tell(client, result, own);
}

void Rpc::tell(RpcClient& client, const RpcResult& result, bool own) {
  host_.call(
      "RPC result",
      [this, &client, result, data = std::make_shared<const Bytes>(result.data.begin(), result.data.end())] {
        RpcResult event = result;
        event.time_ns = stamp(host_, result.time_ns);
        event.data = *data;
        return [handler = client.handler, event, data] {
          if (handler && *handler) (*handler)(event);
        };
      },
      own);
}

void Rpc::forget(Pendings::iterator pending) {
  numbers_.erase(pending->second.uuid);
  if (pending->second.clock_limit_ns) clock_limits_.erase({*pending->second.clock_limit_ns, pending->first});
  pendings_.erase(pending);
}

void Rpc::receive(const Sender& from, std::uint64_t tag, ByteView body) {
  const std::uint64_t number = tag / 2;
  if (tag == results_for(number)) {
    tick();  // what comes after its time is up comes too late, however early the timer is asked
    take_response(clients_.at(number), from.peer, decode<FunctionCallResponse>(body), false);
    return;
  }
  const FunctionCall call = decode<FunctionCall>(body);
  const auto connection = connections_.find(number);
  if (connection == connections_.end() || connection->second.peer != from.peer)
    return;  // it speaks for another
  take_call(number, call, false);
}

// --------------------------------------------------------------------------------------------------- timeouts

void Rpc::step_begins(std::int64_t now_ns) {
  for (auto& [number, pending] : pendings_)
    if (pending.timeout_ns) set_limit(number, &Pending::step_limit_ns, now_ns);  // made before the first step
  time_out(&Pending::step_limit_ns, now_ns);
}

std::optional<std::int64_t> Rpc::wake_at() const {
  return clock_limits_.empty() ? std::nullopt : std::optional(clock_limits_.begin()->first);
}

void Rpc::tick() {
  if (!clock_limits_.empty() && clock_limits_.begin()->first <= host_.steady_ns())
    time_out(&Pending::clock_limit_ns, host_.steady_ns());
}

void Rpc::time_out(std::optional<std::int64_t> Pending::*limit, std::int64_t now_ns) {
  for (auto at = pendings_.begin(); at != pendings_.end();) {
    const auto pending = at++;
    if (!(pending->second.*limit) || *(pending->second.*limit) > now_ns) continue;
    RpcClient& client = *pending->second.client;
    const RpcResult result{host_.now_ns(), pending->second.user, RpcStatus::timeout, {}};
    forget(pending);
    tell(client, result, true);
  }
}

}  // namespace tactus::silkit
