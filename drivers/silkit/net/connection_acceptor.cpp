// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/connection_acceptor.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "rtsync/time/duration_text.hpp"

namespace tactus::silkit {
namespace {

constexpr int kAcceptedPerTurn = 16;
constexpr std::chrono::milliseconds kPause{50};  // when the process has no descriptor left

}  // namespace

ConnectionAcceptor::ListeningSocket::ListeningSocket(asio::io_context& io, Listener&& from)
    : listener(std::move(from)), descriptor(io, listener->number()), pause(io) {}

void ConnectionAcceptor::ListeningSocket::close() noexcept {
  if (!listener) return;
  try {
    (void)descriptor.release();
  } catch (const std::exception&) {  // then it is not waited for any more, which is all that matters
  }
  listener.reset();
}

ConnectionAcceptor::ConnectionAcceptor(asio::io_context& io, const Settings& settings, Enter enter,
                                       Expel expel, Complain complain)
    : io_(io),
      settings_(settings),
      enter_(std::move(enter)),
      expel_(std::move(expel)),
      complain_(std::move(complain)),
      timer_(io) {}

void ConnectionAcceptor::listen(Listener listener) {
  entrances_.push_back(std::make_shared<ListeningSocket>(io_, std::move(listener)));
  wait(entrances_.back());
}

void ConnectionAcceptor::wait(const std::shared_ptr<ListeningSocket>& entrance) {
  entrance->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                  [this, entrance](const asio::error_code& error) {
                                    if (!error && !closed_) accept(entrance);
                                  });
}

void ConnectionAcceptor::accept(const std::shared_ptr<ListeningSocket>& entrance) {
  for (int count = 0; count < kAcceptedPerTurn; ++count) {
    Descriptor socket(
        ::accept4(entrance->listener->number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() < 0) {
      const int error = errno;
      if (error == EINTR || error == ECONNABORTED) continue;
      if (error == EAGAIN) break;
      complain_of(error);
      entrance->pause.expires_after(kPause);
      entrance->pause.async_wait([this, entrance](const asio::error_code& stopped) {
        if (!stopped && !closed_) wait(entrance);
      });
      return;
    }
    apply(socket.get(), settings_.options);
    const std::shared_ptr<Stream> stream = enter_(std::move(socket));
    if (stream == nullptr) continue;
    expect(stream);
    stream->start();
  }
  wait(entrance);
}

void ConnectionAcceptor::complain_of(int error) const {
  std::string text = std::string("a connection waits that cannot be accepted: ") + std::strerror(error);
  rlimit limit{};
  if (error == EMFILE && ::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    text += "; this process may have " + std::to_string(limit.rlim_cur) +
            " descriptors open, which `ulimit -n` or LimitNOFILE= raises";
  complain_(text);
}

void ConnectionAcceptor::expect(const std::shared_ptr<Stream>& stream) {
  if (unidentified_.size() >= settings_.most_unidentified)
    expel_oldest("more than " + std::to_string(settings_.most_unidentified) +
                 " streams sent no announcement");
  unidentified_.push_back({stream, Clock::now() + settings_.timeout});
  if (unidentified_.size() == 1) watch();
}

void ConnectionAcceptor::watch() {
  if (unidentified_.empty() || closed_) return;
  timer_.expires_at(unidentified_.front().until);
  timer_.async_wait([this](const asio::error_code& stopped) {
    if (stopped || closed_) return;
    while (!unidentified_.empty() && unidentified_.front().until <= Clock::now())
      expel_oldest("sent no announcement for " + rtsync::duration_text(settings_.timeout.count()));
    watch();
  });
}

void ConnectionAcceptor::expel_oldest(const std::string& why) {
  const std::shared_ptr<Stream> stream = std::move(unidentified_.front().stream);
  unidentified_.pop_front();
  expel_(*stream, why);
}

void ConnectionAcceptor::mark_identified(const Stream& stream) {
  std::erase_if(unidentified_,
                [&](const UnidentifiedPeer& stranger) { return stranger.stream.get() == &stream; });
}

void ConnectionAcceptor::close() noexcept {
  closed_ = true;  // whatever is still waited for ends without effect
  for (const auto& entrance : entrances_) entrance->close();
  entrances_.clear();
  unidentified_.clear();
}

}  // namespace tactus::silkit
