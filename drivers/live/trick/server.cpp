// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "drivers/live/trick/address.hpp"
#include "drivers/live/trick/client_lines.hpp"
#include "drivers/live/trick/session.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::drivers::trick {
namespace {

using executive::LiveRig;

constexpr Nanoseconds kFarewell{2'000'000'000};   // for a session that is over to take its last answers
constexpr Nanoseconds kListenAgain{100'000'000};  // after accept() found no room
constexpr Nanoseconds kTellAgain{1'000'000'000};  // of connections that are refused
constexpr int kSendBuffer = 256 * 1024;

using rtsync::Descriptor;

Nanoseconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Connections that were refused for the same reason: a line for the first, then one for all of a second.
class Refusals {
 public:
  /// "connections that ...".
  explicit Refusals(const char* what) : what_(what) {}
  void add(const Endpoint& from, std::string reason) {
    ++count_;
    from_ = from.text();
    reason_ = std::move(reason);
  }
  /// Time of the next line; nothing: there is none.
  std::optional<Nanoseconds> wake_at() const { return count_ > 0 ? std::optional(next_) : std::nullopt; }
  void report_to(ClientLines& lines, Nanoseconds now) {
    if (count_ == 0 || now < next_) return;
    lines.announce(line());  // bounded by itself, and none of those it counts is forgotten
    next_ = now + kTellAgain;
  }
  /// Reports what is left, at the end.
  void report_rest_to(ClientLines& lines) {
    if (count_ > 0) lines.announce(line());
  }

 private:
  std::string line() {
    const std::int64_t count = std::exchange(count_, 0);
    return count == 1 ? from_ + " is refused: " + reason_
                      : "refused " + std::to_string(count) + " connections that " + what_ +
                            ", the last from " + from_;
  }

  const char* what_;
  std::int64_t count_ = 0;
  Nanoseconds next_{0};
  std::string from_, reason_;
};

struct Answer {
  std::uint64_t session = 0;
  std::uint64_t ticket = 0;
  executive::LiveSnapshotPtr made{};
  std::optional<executive::LiveDone> done{};  ///< result of a write; else a snapshot
};

/// Answers from the rig's thread, even those that come when no client is left.
class PublishedOutputs {
 public:
  PublishedOutputs() : wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (wake_.get() < 0) throw executive::DeviceError("live.trick: eventfd: " + std::string(strerror(errno)));
  }
  int descriptor() const { return wake_.get(); }
  void wake() const {
    const std::uint64_t one = 1;
    // It can only fail when the counter is full, and then it wakes anyway.
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
  }
  void put(Answer answer) {
    {
      const std::lock_guard lock(mutex_);
      if (shut_) return;
      answers_.push_back(std::move(answer));
    }
    wake();
  }
  std::vector<Answer> take() {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(wake_.get(), &count, sizeof count);
    const std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }
  void shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
    answers_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Answer> answers_;
  bool shut_ = false;
  Descriptor wake_;
};

class RigBackend final : public SessionBackend {
 public:
  RigBackend(LiveRig& rig, std::shared_ptr<PublishedOutputs> published, ClientLines& lines,
             std::uint64_t session)
      : rig_(rig), mailbox_(std::move(published)), lines_(lines), session_(session) {}

  void ask_snapshot(std::uint64_t ticket, std::int64_t every) override {
    const auto then = [published = mailbox_, session = session_, ticket](executive::LiveSnapshotPtr made) {
      published->put({session, ticket, std::move(made)});
    };
    every == 0 ? rig_.next_snapshot(then) : rig_.next_snapshot_of_multiple(every, then);
  }
  std::vector<std::string> write(executive::LiveBatch batch, std::uint64_t ticket) override {
    return rig_.write(std::move(batch),
                      [published = mailbox_, session = session_, ticket](const executive::LiveDone& done) {
                        published->put({session, ticket, nullptr, done});
                      });
  }
  std::string command(const executive::CommandCall& call, const std::string& who) override {
    return rig_.give(call, who);
  }
  void report(std::string line) override { lines_.add(std::move(line), steady_now()); }

 private:
  LiveRig& rig_;
  std::shared_ptr<PublishedOutputs> mailbox_;
  ClientLines& lines_;
  std::uint64_t session_;
};

class Server final : public executive::LiveServer {
 public:
  explicit Server(TrickSettings settings) : settings_(std::move(settings)) {
    for (const std::string& text : settings_.allow) allow_.push_back(Block::parse(text).value());
  }
  ~Server() override { close(); }

  std::vector<std::string> describe() const override {
    std::string line = "Trick's variable server on " + (bound_.port != 0 ? bound_.text() : settings_.listen);
    if (!settings_.writes) line += ", nothing can be set";
    for (std::size_t i = 0; i < settings_.allow.size(); ++i)
      line += (i == 0 ? ", for " : ", ") + settings_.allow[i];
    return {line};
  }
  config::Node resolved() const override { return trick_fields().to_node(settings_); }
  void open(LiveRig& rig, const rtsync::ThreadSettings& helper) override {
    rig_ = &rig;
    mailbox_ = std::make_shared<PublishedOutputs>();
    listen(Endpoint::parse(settings_.listen).value());
    rtsync::ThreadSettings own = helper;
    own.name = "live-trick";
    thread_.emplace(std::move(own), [this] { run(); });
  }
  std::vector<std::string> take_log_lines() override { return lines_.take(steady_now(), stop_); }
  void close() override {
    if (!thread_) return;
    stop_ = true;
    mailbox_->wake();
    thread_->join();
    for (Refusals* const each : {&not_allowed_, &too_many_}) each->report_rest_to(lines_);
    mailbox_->shut();
    peers_.clear();
    listener_ = Descriptor();
  }

 private:
  struct Peer {
    Peer(Descriptor connected, LiveRig& rig, const std::shared_ptr<PublishedOutputs>& published,
         ClientLines& lines, std::uint64_t number, SessionLimits limits, std::string name, Nanoseconds now)
        : socket(std::move(connected)),
          backend(rig, published, lines, number),
          session(rig, backend, limits, std::move(name), now) {}

    Descriptor socket;
    RigBackend backend;
    Session session;
    bool lingers = false;      ///< it has got everything; what it still sends is thrown away
    bool half_closed = false;  ///< it sends no more, though what it sent is not read yet
    bool gone = false;         ///< true: to be dropped
    /// Time at which it is dropped though it has not taken everything.
    std::optional<Nanoseconds> farewell{};
  };

  void listen(const Endpoint& wanted) {
    const auto fail = [&](const char* what, const char* fix) {
      const std::string cause = strerror(errno);
      throw executive::DeviceError("live.trick.listen: " + wanted.text() + " cannot be listened on: " + what +
                                   ": " + cause + "; " + fix);
    };
    Descriptor made(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (made.get() < 0) fail("socket", "see the limits of this process");
    const int on = 1;
    ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(wanted.address);
    address.sin_port = htons(wanted.port);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface
    if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      fail("bind", "choose another port, or 0 for any, or end the program that has it");
    if (::listen(made.get(), 128) != 0) fail("listen", "choose another port");
    socklen_t size = sizeof address;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface
    if (::getsockname(made.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      fail("getsockname", "choose another port");
    listener_ = std::move(made);
    bound_ = {wanted.address, ntohs(address.sin_port)};
    lines_.announce("Trick's variable server listens on " + bound_.text());
    if (!bound_.is_loopback()) {
      std::string whom = rtsync::joined(settings_.allow);
      lines_.announce(
          "Trick's variable server on " + bound_.text() +
          " can be reached from other machines, and there is no password: every client from " + whom +
          (settings_.writes ? " sees and sets all variables, and gives commands" : " sees all variables"));
    }
  }

  void run() {
    try {
      while (!stop_) turn();
    } catch (const std::exception& failure) {
      lines_.announce("Trick's variable server has ended: " + std::string(failure.what()));
    }
  }

  void turn() {
    wait();
    if (stop_) return;
    now_ = steady_now();
    for (Answer& answer : mailbox_->take()) deliver(answer);
    if (ready(0)) accept_all();
    for (Refusals* const each : {&not_allowed_, &too_many_}) each->report_to(lines_, now_);
    std::size_t index = 1;
    for (const std::uint64_t number : polled_) serve(peers_.at(number), events_.at(++index).revents);
    std::erase_if(peers_, [](const auto& peer) { return peer.second.gone; });
  }

  bool ready(std::size_t index) const { return (events_[index].revents & POLLIN) != 0; }

  void wait() {
    events_.clear();
    polled_.clear();
    const bool listens = now_ >= listen_again_;
    events_.push_back({listens ? listener_.get() : -1, POLLIN, 0});
    events_.push_back({mailbox_->descriptor(), POLLIN, 0});
    std::optional<Nanoseconds> next;
    const auto at = [&](Nanoseconds when) { next = next ? std::min(*next, when) : when; };
    if (!listens) at(listen_again_);
    for (const Refusals* const each : {&not_allowed_, &too_many_})
      if (const auto when = each->wake_at()) at(*when);
    for (auto& [number, peer] : peers_) {
      short wanted = 0;
      if (peer.session.room() > 0 || peer.lingers) wanted |= POLLIN;
      if (!peer.half_closed) wanted |= POLLRDHUP;
      if (!peer.session.output().empty()) wanted |= POLLOUT;
      events_.push_back({peer.socket.get(), wanted, 0});
      polled_.push_back(number);
      if (const auto when = peer.session.wake_at()) at(*when);
      if (peer.farewell) at(*peer.farewell);
    }
    timespec timeout{};
    if (next) {
      const Nanoseconds left = std::max(*next - steady_now(), Nanoseconds{0});
      timeout.tv_sec = left.count() / 1'000'000'000;
      timeout.tv_nsec = left.count() % 1'000'000'000;
    }
    if (::ppoll(events_.data(), events_.size(), next ? &timeout : nullptr, nullptr) < 0)
      for (pollfd& event : events_) event.revents = 0;  // a signal: look at what is due, then wait again
  }

  void deliver(Answer& answer) {
    const auto found = peers_.find(answer.session);
    if (found == peers_.end()) return;
    guarded(found->second, [&](Session& session) {
      if (answer.done) {
        session.written(answer.ticket, *answer.done);
      } else {
        session.snapshot(answer.ticket, answer.made, now_);
      }
    });
  }

  /// A client whose session fails (no memory) is dropped; the others continue.
  template <class Work>
  void guarded(Peer& peer, Work work) {
    try {
      work(peer.session);
    } catch (const std::exception& failure) {
      lines_.add(peer.session.client() + ": is dropped: " + failure.what(), now_);
      peer.gone = true;
    }
  }

  void serve(Peer& peer, short events) {
    if (peer.gone) return;
    if ((events & POLLRDHUP) != 0) peer.half_closed = true;
    guarded(peer, [&](Session& session) {
      if (events != 0) receive(peer);
      session.advance(now_);
      if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0) return drop(peer);  // its last commands are done
      send(peer);
      if (session.over()) part_with(peer);
    });
  }

  /// Closing a socket with bytes that were not read would take the last answers away from the client.
  void part_with(Peer& peer) {
    if (!peer.farewell) peer.farewell = now_ + kFarewell;
    if (now_ >= *peer.farewell || (peer.half_closed && peer.session.output().empty())) return drop(peer);
    if (peer.lingers || !peer.session.output().empty()) return;
    peer.lingers = true;
    ::shutdown(peer.socket.get(), SHUT_WR);
  }

  void receive(Peer& peer) {
    const std::size_t room = peer.lingers ? buffer_.size() : std::min(peer.session.room(), buffer_.size());
    if (room == 0) return;
    const ssize_t count = ::recv(peer.socket.get(), buffer_.data(), room, MSG_DONTWAIT);
    if (count < 0) return failed(peer);
    if (count == 0 && peer.lingers) return drop(peer);
    if (peer.lingers) return;
    if (count > 0) return peer.session.received({buffer_.data(), static_cast<std::size_t>(count)});
    peer.half_closed = true;
    peer.session.ended();
  }

  void send(Peer& peer) {
    const std::string_view output = peer.session.output();
    if (peer.gone || output.empty()) return;
    const ssize_t count =
        ::send(peer.socket.get(), output.data(), output.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return failed(peer);
    peer.session.sent(static_cast<std::size_t>(count));
    peer.session.advance(now_);  // commands that waited for room
  }

  /// A call of its socket failed, by errno.
  void failed(Peer& peer) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) drop(peer);
  }

  void drop(Peer& peer) {
    if (!peer.gone && peer.session.missed() > 0)
      lines_.add(peer.session.client() + ": is gone; " + std::to_string(peer.session.missed()) +
                     " cyclic messages were left out because it did not read",
                 now_);
    peer.gone = true;
  }

  bool allowed(std::uint32_t address) const {
    return allow_.empty() ||
           std::ranges::any_of(allow_, [&](const Block& block) { return block.holds(address); });
  }

  void accept_all() {
    for (int turns = 0; turns < 64; ++turns) {
      sockaddr_in address{};
      socklen_t size = sizeof address;
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface
      Descriptor socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
          lines_.add("a client cannot be taken: " + std::string(strerror(errno)), now_);
          listen_again_ = now_ + kListenAgain;
        }
        if (errno != ECONNABORTED && errno != EINTR) return;
        continue;
      }
      welcome(std::move(socket), {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)});
    }
  }

  void welcome(Descriptor socket, const Endpoint& from) {
    if (!allowed(from.address)) {
      return not_allowed_.add(from, "it is not in `allow` of the rig file");
    }
    if (peers_.size() >= static_cast<std::size_t>(settings_.max_clients)) {
      const std::string reason = "there are " + std::to_string(peers_.size()) +
                                 " clients already, which is the most (`max_clients` in the rig file)";
      too_many_.add(from, reason);
      return;  // closed without a word, as Trick does
    }
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
    const SessionLimits limits{static_cast<std::size_t>(settings_.max_variables), settings_.writes,
                               settings_.exit_status};
    const std::uint64_t number = ++numbers_;
    peers_.try_emplace(number, std::move(socket), *rig_, mailbox_, lines_, number, limits, from.text(), now_);
  }

  const TrickSettings settings_;
  LiveRig* rig_ = nullptr;
  std::vector<Block> allow_;
  ClientLines lines_;
  std::shared_ptr<PublishedOutputs> mailbox_;
  Descriptor listener_;
  Endpoint bound_;  // port 0: it does not listen yet
  std::atomic<bool> stop_{false};

  Nanoseconds now_ = steady_now();
  Nanoseconds listen_again_{0};
  std::map<std::uint64_t, Peer> peers_;
  std::uint64_t numbers_ = 0;
  Refusals not_allowed_{"are not in `allow` of the rig file"};
  Refusals too_many_{"are more than `max_clients` of the rig file"};
  std::vector<pollfd> events_;  // listener, published, then the peers of polled_
  std::vector<std::uint64_t> polled_;
  std::array<char, 64 * 1024> buffer_{};

  std::optional<rtsync::PinnedThread> thread_;
};

}  // namespace

std::unique_ptr<executive::LiveServer> make_server(TrickSettings settings) {
  return std::make_unique<Server>(std::move(settings));
}

}  // namespace tactus::drivers::trick
