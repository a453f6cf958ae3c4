// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/silkit/net/support/raw_stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace tactus::silkit::test {
namespace {

constexpr int kAnswerTimeoutMs = 120'000;

Descriptor dialled(const std::string& text) {
  Uri uri = parse_uri(text);
  if (uri.scheme == Uri::Scheme::silkit) uri.scheme = Uri::Scheme::tcp;
  Descriptor socket;
  const auto vain = dial({addresses_of(uri)}, std::chrono::milliseconds(kAnswerTimeoutMs), {},
                         [&](std::size_t, Descriptor got) { socket = std::move(got); });
  if (!vain.front().empty()) throw std::runtime_error(vain.front());
  return socket;
}

void await(int socket, short what) {
  pollfd waited{socket, what, 0};
  if (::poll(&waited, 1, kAnswerTimeoutMs) <= 0) throw std::runtime_error("nothing happens on a stream");
}

}  // namespace

RawStream::RawStream(const std::string& uri) : socket_(dialled(uri)) {}
RawStream::RawStream(Descriptor socket) : socket_(std::move(socket)) {}

void RawStream::send(const Bytes& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t taken = ::send(number(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (taken >= 0)
      sent += static_cast<std::size_t>(taken);
    else if (errno == EAGAIN)
      await(number(), POLLOUT);
    else
      return;  // the other end has had enough, which next() shows
  }
}

std::optional<RawStream::Message> RawStream::next() {
  for (;;) {
    std::size_t used = 0;
    if (const std::optional<Frame> frame = next_frame(received_, used)) {
      Message message{frame->kind, Bytes(frame->body.begin(), frame->body.end())};
      received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(used));
      return message;
    }
    std::array<std::byte, 4096> chunk;
    await(number(), POLLIN);
    const ssize_t size = ::recv(number(), chunk.data(), chunk.size(), 0);
    if (size <= 0) return std::nullopt;
    received_.insert(received_.end(), chunk.begin(), chunk.begin() + size);
  }
}

bool RawStream::ends() {
  while (next()) {
  }
  return true;
}

KnownParticipants RawStream::next_known() {
  const std::optional<Message> message = next();
  if (!message || message->kind != Kind::registry) throw std::runtime_error("no known participants");
  ByteView body = message->body;
  if (registry_kind(body) != RegistryKind::known_participants) throw std::runtime_error("something else");
  return decode<KnownParticipants>(body);
}

AnnouncementReply RawStream::next_reply() {
  const std::optional<Message> message = next();
  if (!message || message->kind != Kind::registry) throw std::runtime_error("no reply");
  ByteView body = message->body;
  if (registry_kind(body) != RegistryKind::reply) throw std::runtime_error("something else than a reply");
  return decode<AnnouncementReply>(body);
}

Announcement announcement_of(const std::string& name, const std::string& simulation) {
  return {{}, {name, hash64(name), {"tcp://0.0.0.0:4711"}, ""}, simulation};
}

RawStream registered(const std::string& uri, const Announcement& announcement, KnownParticipants* known) {
  RawStream stream(uri);
  stream.say(announcement);
  const KnownParticipants others = stream.next_known();
  if (known != nullptr) *known = others;
  const AnnouncementReply reply = stream.next_reply();
  if (!reply.success) throw std::runtime_error(reply.diagnostic);
  return stream;
}

}  // namespace tactus::silkit::test
