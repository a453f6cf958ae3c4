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

  /// Begins with the address at `next`, or with the one after it that can be begun with. False: all is over.
  bool begin(Attempt& attempt) {
    attempt.until = Clock::now() + timeout_;
    return go_on(attempt);
  }

  bool go_on(Attempt& attempt) {
    const int error = begin_connect(attempt.socket, address(attempt), options_);
    if (error == 0) return done(attempt);
    if (error == EINPROGRESS) return true;
    if (error != EAGAIN) return failed(attempt, error);
    attempt.socket = Descriptor();
    attempt.again = Clock::now() + kBacklogPause;
    return true;
  }

  bool done(Attempt& attempt) {
    tried_[attempt.place].clear();
    connected_(attempt.place, std::move(attempt.socket));
    return false;
  }

  bool failed(Attempt& attempt, int error) {
    std::string& tried = tried_[attempt.place];
    tried += (tried.empty() ? "" : "; ") + address(attempt).text + ": " +
             (error == ETIMEDOUT ? "no answer" : std::generic_category().message(error));
    attempt.socket = Descriptor();
    if (++attempt.next < places_[attempt.place].size()) return begin(attempt);
    return give_up(attempt.place, tried);
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
      until = std::min(until, attempt.socket.get() < 0 ? attempt.again : attempt.until);
      polled_.push_back({attempt.socket.get(), POLLOUT, 0});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    (void)::poll(polled_.data(), polled_.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
  }

  /// False: this place is settled.
  bool look(Attempt& attempt) {
    const bool late = Clock::now() >= attempt.until;
    if (attempt.socket.get() < 0) {
      if (late) return failed(attempt, ETIMEDOUT);
      return Clock::now() < attempt.again || go_on(attempt);
    }
    pollfd now{attempt.socket.get(), POLLOUT, 0};
    if (::poll(&now, 1, 0) <= 0) return !late || failed(attempt, ETIMEDOUT);
    const int error = connect_result(attempt.socket.get());
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
