// SPDX-License-Identifier: Apache-2.0
#include <microhttpd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/clients.hpp"
#include "drivers/live/http/driver.hpp"
#include "drivers/live/http/hub.hpp"
#include "drivers/live/http/listener.hpp"
#include "drivers/live/http/rate_limit.hpp"
#include "drivers/live/http/refusals.hpp"
#include "drivers/live/http/request_filter.hpp"
#include "drivers/live/http/safety_command.hpp"
#include "drivers/live/http/token.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/thread/thread_names.hpp"

namespace tactus::drivers::live_http {
namespace {

using Clock = Client::Clock;
using Phase = Client::Phase;
using ExchangePtr = std::shared_ptr<PendingRequest>;

constexpr unsigned kReserve = 64;                   // connections above max_clients, to be told so
constexpr std::size_t kConnectionBytes = 96 << 10;  // for a request's head and a reply's
constexpr std::size_t kStreamBlock = 16 << 10;
constexpr int kStreamBuffer = 64 << 10;              // what is on its way to a slow reader, beside the newest
constexpr std::chrono::milliseconds kFarewell{500};  // for last words when the server closes
constexpr std::chrono::milliseconds kWatchInterval{100};

Client* client_of(MHD_Connection* connection) {
  const MHD_ConnectionInfo* const info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == nullptr ? nullptr : static_cast<Client*>(info->socket_context);
}

class Server final : public executive::LiveServer {
 public:
  Server(HttpSettings settings, Address address, std::optional<std::string> token_file)
      : settings_(std::move(settings)),
        address_(std::move(address)),
        token_file_(std::move(token_file)),
        clients_(static_cast<std::size_t>(settings_.max_clients), settings_.request_timeout),
        rates_(static_cast<double>(settings_.max_rate)),
        refused_rates_(static_cast<double>(settings_.max_rate)),
        safety_rates_(static_cast<double>(settings_.max_rate)) {}
  ~Server() override { close(); }

  std::vector<std::string> describe() const override {
    const Address& at = listener_ ? listener_->address() : address_;  // with the port that the system chose
    return {"http: the control port on " + at.text() +
            (token_file_ ? ", with the token of " + *token_file_ : std::string{})};
  }
  config::Node resolved() const override { return http_fields().to_node(settings_); }

  void open(executive::LiveRig& rig, const rtsync::ThreadSettings& helper) override;
  std::vector<std::string> take_log_lines() override;
  void close() override;

 private:
  // What the HTTP library calls, on its thread.
  static void* on_target(void* self, const char* target, MHD_Connection* connection);
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                               const char* version, const char* data, std::size_t* size, void** context);
  static void on_completed(void* self, MHD_Connection* connection, void** context,
                           MHD_RequestTerminationCode code);
  static void on_connection(void* self, MHD_Connection* connection, void** context,
                            MHD_ConnectionNotificationCode code);
  template <class Of>
  static ssize_t on_read(void* handle, std::uint64_t position, char* to, std::size_t most);
  template <class Of>
  static void on_stream_end(void* handle);

  MHD_Daemon* start();
  void begin(const ExchangePtr& exchange, const char* method);
  Reply overload(const Client& client, const char* which);
  std::optional<Reply> body_problem(const Request& request) const;
  MHD_Result go_on(const ExchangePtr& exchange, const char* data, std::size_t* size);
  MHD_Result send(const PendingRequest& exchange, Reply reply);
  template <class Of>
  MHD_Response* stream_response(const PendingRequest& exchange, std::shared_ptr<Of> stream);
  void run_ticker();

  /// Handle of the callbacks of a stream: of events, or of frames.
  template <class Of>
  struct StreamHandle {
    std::shared_ptr<Hub> hub;
    std::shared_ptr<Of> stream;
  };

  const HttpSettings settings_;
  const Address address_;
  const std::optional<std::string> token_file_;
  Clients clients_;
  Refusals refusals_;
  // Of the HTTP thread. A request that is refused costs its client nothing of what others there may ask.
  RateLimit rates_;
  RateLimit refused_rates_;
  RateLimit safety_rates_;  // of each safety command of a client

  std::optional<Listener> listener_;
  std::optional<RequestFilter> guard_;
  std::optional<Api> api_;
  std::shared_ptr<Hub> hub_;
  MHD_Daemon* daemon_ = nullptr;
  rtsync::ThreadSettings thread_;  // of the ticker, and of the library's thread, which it makes
  std::optional<rtsync::PinnedThread> ticker_;
  bool is_named_ =
      false;  // the library's thread, by its first connection: the library names it when it starts
  std::atomic<bool> stopping_{false};
  std::mutex lines_mutex_;
  std::vector<std::string> lines_;  // to be told
};

MHD_Daemon* Server::start() {
  return MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
      &on_request, this, MHD_OPTION_LISTEN_SOCKET, listener_->fd(), MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(settings_.max_clients) + kReserve, MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(Clients::kIdle.count()), MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionBytes,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, &on_target, this,
      MHD_OPTION_NOTIFY_COMPLETED, &on_completed, this, MHD_OPTION_NOTIFY_CONNECTION, &on_connection, this,
      MHD_OPTION_END);
}

void Server::open(executive::LiveRig& rig, const rtsync::ThreadSettings& helper) {
  std::optional<Token> token;
  if (token_file_) token = Token::read(*token_file_);
  listener_.emplace(address_, rig.facts().folder);
  const Address& at = listener_->address();
  guard_.emplace(at, token, refusals_);
  api_.emplace(rig, ApiSettings{settings_.max_watch_rate.floor(), settings_.answer_timeout});
  hub_ = std::make_shared<Hub>(*api_);

  thread_ = helper;
  if (thread_.name.empty()) thread_.name = "live-http";
  // The library's thread is made by ours, and so runs where ours does.
  std::promise<MHD_Daemon*> started;
  auto daemon = started.get_future();
  ticker_.emplace(thread_, [this, &started] {
    MHD_Daemon* const made = start();
    started.set_value(made);
    if (made != nullptr) run_ticker();
  });
  daemon_ = daemon.get();
  if (daemon_ == nullptr) {
    const std::string problem = "live.http: the HTTP server cannot be started on " + at.text() +
                                "; see the limits of this user (ulimit -a), and filters of system calls "
                                "(grep Seccomp /proc/self/status)";
    ticker_->join();
    ticker_.reset();
    listener_.reset();  // the address was its
    throw executive::DeviceError(problem);
  }
  const std::lock_guard lock(lines_mutex_);
  if (at.is_unix()) {
    lines_.push_back("http: listens on " + at.text() + " (curl --unix-socket " + at.path + " http://rig/v1)");
  } else {
    lines_.push_back("http: listens on " + at.url() + "/v1");
  }
  if (!at.is_local())
    lines_.push_back("http: " + at.text() +
                     " can be reached from other machines, in plain text; every client "
                     "needs the token of " +
                     token_file_.value_or("?"));
}

std::vector<std::string> Server::take_log_lines() {
  std::vector<std::string> lines;
  {
    const std::lock_guard lock(lines_mutex_);
    lines.swap(lines_);
  }
  for (std::string& line : refusals_.take_log_lines(Clock::now())) lines.push_back(std::move(line));
  return lines;
}

void Server::close() {
  if (daemon_ == nullptr) return;
  (void)MHD_quiesce_daemon(daemon_);  // the socket is the listener's
  hub_->close();
  const auto until = Clock::now() + kFarewell;
  while (clients_.busy() > 0 && Clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  stopping_ = true;
  hub_->wake();
  ticker_->join();
  MHD_stop_daemon(std::exchange(daemon_, nullptr));
  hub_->leave();
  listener_->close();
}

void Server::run_ticker() {
  auto scanned = Clock::now();
  while (!stopping_) {
    const auto now = Clock::now();
    if (now - scanned >= kWatchInterval) {
      scanned = now;
      std::string who;
      for (std::size_t n = clients_.drop_overdue(now, who); n > 0; --n)
        refusals_.count(Refusals::Why::slow, who);
    }
    auto next = hub_->tick(now);
    if (clients_.count() > 0) next = std::min(next.value_or(Clock::time_point::max()), now + kWatchInterval);
    hub_->wait(next);
  }
}

void Server::on_connection(void* self, MHD_Connection* connection, void** context,
                           MHD_ConnectionNotificationCode code) {
  auto& server = *static_cast<Server*>(self);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    if (!std::exchange(server.is_named_, true))
      rtsync::name_thread(::gettid(), server.thread_.name, server.thread_.owner);
    const MHD_ConnectionInfo* const info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = server.clients_.add(info->connect_fd, Clock::now());
    server.hub_->wake();
  } else {
    server.clients_.remove(static_cast<Client*>(*context));
    *context = nullptr;
  }
}

void* Server::on_target(void* self, const char* target, MHD_Connection* connection) {
  auto& server = *static_cast<Server*>(self);
  if (Client* const client = client_of(connection)) {
    client->target = target;
    server.clients_.enter(client, Phase::reading, Clock::now());
  }
  return nullptr;
}

MHD_Result Server::on_request(void* self, MHD_Connection* connection, const char* /*url*/, const char* method,
                              const char* /*version*/, const char* data, std::size_t* size, void** context) {
  auto& server = *static_cast<Server*>(self);
  try {
    if (*context != nullptr) return server.go_on(*static_cast<ExchangePtr*>(*context), data, size);
    auto exchange = std::make_shared<PendingRequest>();
    exchange->connection = connection;
    exchange->client = client_of(connection);
    if (exchange->client == nullptr) return MHD_NO;
    *context = new ExchangePtr(exchange);
    server.begin(exchange, method);
    // A reply at this point ends the connection: the body is not read.
    if (exchange->refused && exchange->refused->close) return server.send(*exchange, *exchange->refused);
    return MHD_YES;
  } catch (const std::exception&) {
    return MHD_NO;  // out of memory: the connection ends
  }
}

void Server::begin(const ExchangePtr& exchange, const char* method) {
  Request& request = exchange->request;
  Client& client = *exchange->client;
  request.method = method;
  request.target = std::exchange(client.target, {});
  request.who = client.who;
  MHD_get_connection_values_n(
      exchange->connection, MHD_HEADER_KIND,
      [](void* to, MHD_ValueKind /*kind*/, const char* key, std::size_t key_size, const char* value,
         std::size_t value_size) {
        static_cast<Pairs*>(to)->emplace_back(
            std::piecewise_construct, std::forward_as_tuple(key, key_size),
            std::forward_as_tuple(value == nullptr ? "" : value, value == nullptr ? 0 : value_size));
        return MHD_YES;
      },
      &request.headers);
  exchange->refused = guard_->validate(request, client.reached);
  if (exchange->refused) {
    if (!refused_rates_.take(client.payer, Clock::now())) {
      exchange->refused = overload(client, "refused requests");
      exchange->refused->close = true;  // the next one costs a connection
    }
  } else if (client.above || !rates_.take(client.payer, Clock::now())) {
    // Whether it is a safety command, which is taken all the same, says its body.
    exchange->too_much = true;
    if (!may_be_safety_command(request)) exchange->refused = overload(client, "requests");
  }
  if (auto validate = body_problem(request)) {
    if (exchange->refused)
      exchange->refused->close = exchange->refused->close || validate->close;
    else
      exchange->refused = std::move(validate);
  }
}

/// The reply to one more than a client may ask, or than may be connected.
Reply Server::overload(const Client& client, const char* which) {
  refusals_.count(client.above ? Refusals::Why::clients : Refusals::Why::rate, client.who);
  Reply reply =
      client.above
          ? refusal(503, "there are " + std::to_string(settings_.max_clients) +
                             " clients already (live.http.max_clients)")
          : refusal(429, "more than " + std::to_string(settings_.max_rate) + " " + which +
                             " in a second (live.http.max_rate); watch is a cheaper way to follow values");
  reply.headers.emplace_back("Retry-After", "1");
  reply.close = client.above;
  return reply;
}

std::optional<Reply> Server::body_problem(const Request& request) const {
  const auto close = [](Reply reply) {
    reply.close = true;
    return reply;
  };
  if (request.header("Transfer-Encoding") != nullptr)
    return close(refusal(411, "the body comes in pieces; send it with 'Content-Length'"));
  const std::string* const length = request.header("Content-Length");
  if (length == nullptr) return std::nullopt;
  if (request.count("Content-Length") > 1)
    return close(refusal(400, "the header 'Content-Length' is there twice"));
  const auto bytes = config::parse_integer(*length);
  if (!bytes || length->find_first_not_of("0123456789") != std::string::npos)
    return close(refusal(400, "the header 'Content-Length' says " + config::show(*length) +
                                  ": a number of bytes is expected"));
  if (*bytes.value <= settings_.max_body) return std::nullopt;
  Reply reply = refusal(413, "the body has " + *length + " bytes; at most " +
                                 std::to_string(settings_.max_body) + " are read (live.http.max_body)");
  // A little too long is read to its end, so that the client is listening when it is told.
  return *bytes.value <= 4 * settings_.max_body ? reply : close(reply);
}

MHD_Result Server::go_on(const ExchangePtr& exchange, const char* data, std::size_t* size) {
  if (*size > 0) {
    if (!exchange->refused) exchange->request.body.append(data, *size);
    *size = 0;
    return MHD_YES;
  }
  if (exchange->too_much && !exchange->begun && !exchange->refused) {
    const std::string command = safety_command(exchange->request);
    // A lane for each: pauses do not keep a stop out.
    if (command.empty() || !safety_rates_.take(exchange->client->payer + " " + command, Clock::now()))
      exchange->refused = overload(*exchange->client, "requests");
  }
  if (exchange->refused) return send(*exchange, *exchange->refused);
  if (!exchange->begun) {
    exchange->begun = true;
    clients_.enter(exchange->client, Phase::asking, Clock::now());
    const auto timeout = api_->handle(exchange->request, Respond([hub = hub_, exchange](Respond::Make make) {
                                        hub->answer(exchange, std::move(make));
                                      }));
    if (timeout) {
      exchange->until = Clock::now() + timeout->after;
      exchange->too_late = timeout->reply;
    }
    exchange->request.body = {};
  }
  const Respond::Make make = hub_->reply_or_sleep(exchange);
  if (!make) return MHD_YES;
  try {
    return send(*exchange, make());
  } catch (const std::exception& fault) {
    return send(*exchange, refusal(500, std::string("a fault of the control port: ") + fault.what()));
  }
}

MHD_Result Server::send(const PendingRequest& exchange, Reply reply) {
  MHD_Response* response = nullptr;
  const bool stream = reply.watch.has_value() || reply.frames != nullptr;
  if (reply.watch) {
    reply.type = "text/event-stream";
    response = stream_response(exchange, std::make_shared<Stream>(std::move(*reply.watch)));
  } else if (reply.frames != nullptr) {
    reply.type = "application/octet-stream";
    response = stream_response(exchange, std::make_shared<FrameStream>(std::move(reply.frames)));
  } else {
    std::string text = reply.bytes == nullptr ? text_of(reply.body) + "\n" : *reply.bytes;
    response = MHD_create_response_from_buffer(text.size(), text.data(), MHD_RESPMEM_MUST_COPY);
  }
  if (response == nullptr) return MHD_NO;
  clients_.enter(exchange.client, stream ? Phase::stream : Phase::writing, Clock::now());
  const auto header = [&](const char* name, const std::string& value) {
    (void)MHD_add_response_header(response, name, value.c_str());
  };
  header("Content-Type", reply.type);
  const bool cached =
      std::ranges::any_of(reply.headers, [](const auto& one) { return one.first == "Cache-Control"; });
  if (!cached) header("Cache-Control", "no-store");
  header("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : reply.headers) header(name.c_str(), value);
  if (reply.close) header("Connection", "close");
  const MHD_Result queued =
      MHD_queue_response(exchange.connection, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);
  return queued;
}

template <class Of>
MHD_Response* Server::stream_response(const PendingRequest& exchange, std::shared_ptr<Of> stream) {
  (void)::setsockopt(exchange.client->fd, SOL_SOCKET, SO_SNDBUF, &kStreamBuffer, sizeof kStreamBuffer);
  stream->connection = exchange.connection;
  auto handle = std::make_unique<StreamHandle<Of>>(StreamHandle<Of>{hub_, std::move(stream)});
  MHD_Response* const response = MHD_create_response_from_callback(
      MHD_SIZE_UNKNOWN, kStreamBlock, &on_read<Of>, handle.get(), &on_stream_end<Of>);
  if (response == nullptr) return nullptr;
  hub_->begin(handle.release()->stream);
  return response;
}

template <class Of>
ssize_t Server::on_read(void* handle, std::uint64_t /*position*/, char* to, std::size_t most) {
  const auto& [hub, kept] = *static_cast<StreamHandle<Of>*>(handle);
  Of& stream = *kept;
  try {
    while (stream.at == stream.out.size()) {
      const Hub::Next next = hub->next(stream);
      if (next == Hub::Next::sleep) return 0;
      if (next == Hub::Next::over) return MHD_CONTENT_READER_END_OF_STREAM;
    }
    const std::size_t size = std::min(most, stream.out.size() - stream.at);
    std::memcpy(to, stream.out.data() + stream.at, size);
    stream.at += size;
    return static_cast<ssize_t>(size);
  } catch (const std::exception&) {
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
}

template <class Of>
void Server::on_stream_end(void* handle) {
  const std::unique_ptr<StreamHandle<Of>> kept(static_cast<StreamHandle<Of>*>(handle));
  kept->hub->forget(kept->stream);
}

void Server::on_completed(void* self, MHD_Connection* connection, void** context,
                          MHD_RequestTerminationCode /*code*/) {
  auto& server = *static_cast<Server*>(self);
  const std::unique_ptr<ExchangePtr> exchange(static_cast<ExchangePtr*>(std::exchange(*context, nullptr)));
  if (exchange != nullptr) server.hub_->forget(*exchange);
  if (Client* const client = client_of(connection)) server.clients_.enter(client, Phase::idle, Clock::now());
}

}  // namespace

std::unique_ptr<executive::LiveServer> HttpDriver::make(const config::Node& settings, const std::string& path,
                                                        const executive::LiveContext& context,
                                                        config::Problems& problems) {
  auto read = load(settings, path, problems);
  if (!read) return nullptr;
  const auto refuse = [&](const std::string& why) {
    const config::Node* const node = settings.find("listen");
    problems.add(node == nullptr ? settings.place() : node->place(), path + ".listen", why);
    return nullptr;
  };
  std::string problem;
  auto address = parse_address(read->listen, problem);
  if (!address) return refuse(problem);
  if (address->path.starts_with("/")) {  // a relative one begins in the run folder, which is not known yet
    address->path = std::filesystem::path(address->path).lexically_normal().string();
    if (const std::string too_long = path_problem(*address, false); !too_long.empty())
      return refuse(too_long);
  }
  if (!address->is_local() && !read->token_file)
    return refuse(config::show(read->listen) +
                  " can be reached from other machines, so every client needs a token: "
                  "name a file with one in token_file, or listen on 127.0.0.1 or unix:PATH");
  std::optional<std::string> token_file;
  if (read->token_file) token_file = (context.base / *read->token_file).lexically_normal().string();
  return std::make_unique<Server>(std::move(*read), std::move(*address), std::move(token_file));
}

}  // namespace tactus::drivers::live_http
