// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "drivers/silkit/net/socket.hpp"
#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit::test {

/// A participant's end of a stream, by hand: nothing happens that the test does not say. Whatever does not
/// come within 40 s throws std::runtime_error.
class RawStream {
 public:
  struct Message {
    Kind kind = Kind::invalid;
    Bytes body;  ///< behind the kind
  };

  /// tcp://, local://, or silkit:// (its TCP address).
  explicit RawStream(const std::string& uri);
  explicit RawStream(Descriptor socket);

  void send(const Bytes& bytes);
  template <class T>
  void say(const T& message) {
    Bytes bytes;
    encode(bytes, message);
    send(bytes);
  }
  /// The next message; nothing at the end of the stream.
  std::optional<Message> next();
  /// Whether the other end has ended the stream; what comes before that is discarded.
  bool ends();
  KnownParticipants next_known();
  AnnouncementReply next_reply();
  int number() const { return socket_.get(); }

 private:
  Descriptor socket_;
  Bytes received_;
};

/// What a participant of this name announces of itself.
Announcement announcement_of(const std::string& name, const std::string& simulation = "");
/// Announces itself at a registry and throws unless that takes it in; what it told of the others in `known`.
RawStream registered(const std::string& uri, const Announcement& announcement,
                     KnownParticipants* known = nullptr);

}  // namespace tactus::silkit::test
