// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/messages.hpp"

#include <random>

namespace tactus::silkit {

namespace {

constexpr std::uint32_t kPreamble = 0x2D424956;  // "VIB-"
constexpr std::size_t kServiceHead = kLeastMessage + 3 * sizeof(std::uint64_t);

void check_size(std::size_t size) {
  if (size > kMostMessage)
    throw std::length_error("a message of " + std::to_string(size) + " bytes; " +
                            std::to_string(kMostMessage) + " is the most a peer takes");
}

}  // namespace

std::optional<Frame> next_frame(ByteView received, std::size_t& used) {
  if (received.size() < kSizeBytes) return std::nullopt;
  std::uint32_t size = 0;
  std::memcpy(&size, received.data(), sizeof(size));
  if (size < kLeastMessage || size > kMostMessage)
    throw WireError("a message of " + std::to_string(size) + " bytes; " + std::to_string(kLeastMessage) +
                    " to " + std::to_string(kMostMessage) + " can be");
  if (received.size() < size) return std::nullopt;
  used = size;
  const auto kind = static_cast<Kind>(received[kSizeBytes]);
  return Frame{kind == Kind::service_alternative ? Kind::service : kind,
               received.subspan(kLeastMessage, size - kLeastMessage)};
}

std::size_t begin_message(Bytes& out, Kind kind) {
  const std::size_t begin = out.size();
  Writer writer(out);
  writer.value(std::uint32_t{0});
  writer.value(static_cast<std::uint8_t>(kind));
  return begin;
}

void end_message(Bytes& out, std::size_t begin) {
  check_size(out.size() - begin);
  const auto size = static_cast<std::uint32_t>(out.size() - begin);
  std::memcpy(out.data() + begin, &size, sizeof(size));
}

void write_member(Writer& writer, const ProtocolVersion& version) {
  writer.value(kPreamble);
  writer.value(version.high);
  writer.value(version.low);
}

void read_member(Reader& reader, ProtocolVersion& version) {
  if (reader.value<std::uint32_t>() != kPreamble) throw WireError("a handshake does not begin with \"VIB-\"");
  version.high = reader.value<std::uint16_t>();
  version.low = reader.value<std::uint16_t>();
}

RegistryKind registry_kind(ByteView& body) {
  Reader reader(body);
  const auto kind = static_cast<RegistryKind>(reader.value<std::uint8_t>());
  body = reader.rest();
  return kind;
}

void encode_service(Bytes& out, const ServiceHeader& header, const Pieces& body) {
  check_size(kServiceHead + body.size());  // before there is room for it
  reserve_more(out, kServiceHead + body.size());
  encode_service_head(out, header, body.size());
  Writer(out).pieces(body);
}

void encode_service_head(Bytes& out, const ServiceHeader& header, std::size_t body) {
  const std::size_t size = kServiceHead + body;
  check_size(size);
  std::array<std::byte, kServiceHead> head;
  const auto put = [&head](std::size_t at, auto value) {
    std::memcpy(head.data() + at, &value, sizeof(value));
  };
  put(0, static_cast<std::uint32_t>(size));
  put(4, Kind::service);
  put(5, header.index);
  put(13, header.participant);
  put(21, header.service);
  Writer(out).bytes(head);
}

ServiceHeader take_service_header(ByteView& body) {
  Reader reader(body);
  ServiceHeader header;
  read_member(reader, header);
  body = reader.rest();
  return header;
}

std::string Uuid::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {ab, cd})
    for (int shift = 60; shift >= 0; shift -= 4)
      text += kDigits[(half >> static_cast<unsigned>(shift)) & 0xFU];
  for (const std::size_t at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
  return text;
}

Uuid Uuid::random() {
  std::random_device source;
  const auto half = [&source] { return (std::uint64_t{source()} << 32U) | source(); };
  Uuid uuid{half(), half()};
  uuid.ab = (uuid.ab & ~std::uint64_t{0xF000}) | 0x4000U;                       // version 4
  uuid.cd = (uuid.cd & (~std::uint64_t{0} >> 2U)) | (std::uint64_t{2} << 62U);  // variant 1
  return uuid;
}

std::string_view ServiceDescriptor::attribute(std::string_view key) const {
  for (const auto& [known, value] : attributes)  // a handful: quicker than a copy of the key
    if (known == key) return value;
  return {};
}

Pieces body_in_pieces(Bytes& ends, const DataMessage& message) {
  ends.clear();
  Writer writer(ends);
  writer.count(message.data.size());
  const std::size_t head = ends.size();
  writer.value(message.time_ns);
  return {ByteView(ends).first(head), message.data, ByteView(ends).subspan(head)};
}

}  // namespace tactus::silkit
