// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "drivers/silkit/net/socket.hpp"

namespace tactus::silkit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBacklogPause{10};

/// One place that is being tried.
struct Attempt {
  std::size_t place = 0;
  std::size_t next = 0;  ///< address
  Descriptor socket{};   ///< connecting; none: the backlog of the address was full
  Clock::time_point until{};
  Clock::time_point again{};
};

class Dial {
 public:
  Dial(const std::vector<std::vector<Address>>& places, std::chrono::nanoseconds timeout,
       const SocketOptions& options, const std::function<void(std::size_t, Descriptor)>& connected,
       const std::function<void(std::size_t, const std::string&)>& given_up)
      : places_(places),
        timeout_(timeout),
        options_(options),
        connected_(connected),
        given_up_(given_up),
        tried_(places.size()) {}

  std::vector<std::string> run() {
    for (std::size_t place = 0; place < places_.size(); ++place) {
      Attempt attempt{.place = place};
      if (places_[place].empty())
        give_up(place, "no address to try");
      else if (begin(attempt))
        attempts_.push_back(std::move(attempt));
    }
    while (!attempts_.empty()) {
      wait();
      std::erase_if(attempts_, [this](Attempt& attempt) { return !look(attempt); });
    }
    return std::move(tried_);
  }

 private:
  const Address& address(const Attempt& attempt) const { return places_[attempt.place][attempt.next]; }

  enum class Try : std::uint8_t { pending, done, failed };

  /// Begins with the address at `next`, or with the one after it that can be begun with. False: all is over.
  bool begin(Attempt& attempt) {
    attempt.until = Clock::now() + timeout_;
    return go_on(attempt);
  }

  bool go_on(Attempt& attempt) {
    for (;;) {
      const Try tried = connect(attempt);
      if (tried != Try::failed) return tried == Try::pending;
      note_failure(attempt, errno);
      if (++attempt.next >= places_[attempt.place].size())
        return give_up(attempt.place, tried_[attempt.place]);
      attempt.until = Clock::now() + timeout_;
    }
  }

  Try connect(Attempt& attempt) {
    const Address& to = address(attempt);
    attempt.socket =
        Descriptor(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (attempt.socket.number() < 0) return Try::failed;
    apply(attempt.socket.number(), options_);
    int result = 0;
    do result = ::connect(attempt.socket.number(), reinterpret_cast<const sockaddr*>(&to.storage), to.size);
    while (result != 0 && errno == EINTR);
    if (result == 0) {
      (void)done(attempt);
      return Try::done;
    }
    if (errno == EINPROGRESS) return Try::pending;
    if (errno != EAGAIN) return Try::failed;
    attempt.socket = Descriptor();
    attempt.again = Clock::now() + kBacklogPause;
    return Try::pending;
  }

  bool done(Attempt& attempt) {
    tried_[attempt.place].clear();
    connected_(attempt.place, std::move(attempt.socket));
    return false;
  }

  void note_failure(Attempt& attempt, int error) {
    std::string& tried = tried_[attempt.place];
    tried += (tried.empty() ? "" : "; ") + address(attempt).text + ": " +
             (error == ETIMEDOUT ? "no answer" : std::generic_category().message(error));
    attempt.socket = Descriptor();
  }

  bool failed(Attempt& attempt, int error) {
    note_failure(attempt, error);
    if (++attempt.next < places_[attempt.place].size()) return begin(attempt);
    return give_up(attempt.place, tried_[attempt.place]);
  }

  bool give_up(std::size_t place, const std::string& tried) {
    tried_[place] = tried;
    if (given_up_) given_up_(place, tried_[place]);
    return false;
  }

  void wait() {
    polled_.clear();
    Clock::time_point until = Clock::time_point::max();
    for (const Attempt& attempt : attempts_) {
      until = std::min(until, attempt.socket.number() < 0 ? attempt.again : attempt.until);
      polled_.push_back({attempt.socket.number(), POLLOUT, 0});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    (void)::poll(polled_.data(), polled_.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
  }

  /// False: this place is settled.
  bool look(Attempt& attempt) {
    const bool late = Clock::now() >= attempt.until;
    if (attempt.socket.number() < 0) {
      if (late) return failed(attempt, ETIMEDOUT);
      return Clock::now() < attempt.again || go_on(attempt);
    }
    pollfd now{attempt.socket.number(), POLLOUT, 0};
    if (::poll(&now, 1, 0) <= 0) return !late || failed(attempt, ETIMEDOUT);
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(attempt.socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error == 0 && is_its_own_peer(attempt.socket.number())) error = ECONNREFUSED;
    return error == 0 ? done(attempt) : failed(attempt, error);
  }

  const std::vector<std::vector<Address>>& places_;
  const std::chrono::nanoseconds timeout_;
  const SocketOptions& options_;
  const std::function<void(std::size_t, Descriptor)>& connected_;
  const std::function<void(std::size_t, const std::string&)>& given_up_;
  std::vector<std::string> tried_;
  std::vector<Attempt> attempts_;
  std::vector<pollfd> polled_;
};

}  // namespace

std::vector<std::string> dial(const std::vector<std::vector<Address>>& places,
                              std::chrono::nanoseconds timeout, const SocketOptions& options,
                              const std::function<void(std::size_t, Descriptor)>& connected,
                              const std::function<void(std::size_t, const std::string&)>& given_up) {
  return Dial(places, timeout, options, connected, given_up).run();
}

}  // namespace tactus::silkit
