// SPDX-License-Identifier: Apache-2.0
// Golden bytes of the messages of RPC and of the buses, laid out field by field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/silkit/wire/can_messages.hpp"
#include "drivers/silkit/wire/ethernet_messages.hpp"
#include "drivers/silkit/wire/lin_messages.hpp"
#include "drivers/silkit/wire/metrics_message.hpp"
#include "drivers/silkit/wire/rpc_messages.hpp"
#include "tests/drivers/silkit/wire/support/hex.hpp"

namespace tactus::silkit::service_messages_test {
namespace {

using sample::from_hex;
using sample::hex;

template <class Message>
std::string body_of(const Message& message) {
  Bytes body;
  encode_body(body, message);
  return hex(body);
}

const Bytes kThree = from_hex("0a0b0c");

TEST(ServiceMessages, FunctionCall) {
  const FunctionCall call{1'000'000, {0x67af64ec29e44827, 0x996876fc42b104a8}, kThree};
  const std::string bytes =
      hex(from_hex("40420f0000000000 2748e429ec64af67 a804b142fc766899 03000000 0a0b0c"));
  EXPECT_EQ(body_of(call), bytes);
  const FunctionCall read = decode<FunctionCall>(from_hex(bytes));
  EXPECT_EQ(read.time_ns, 1'000'000);
  EXPECT_EQ(read.uuid, call.uuid);
}

TEST(ServiceMessages, FunctionCallResponse) {
  const FunctionCallResponse response{INT64_MIN, {1, 2}, {}, FunctionCallResponse::Status::internal_error};
  EXPECT_EQ(body_of(response),
            hex(from_hex("0000000000000080 0100000000000000 0200000000000000 00000000 01000000")));
}

TEST(ServiceMessages, CanFrame) {
  const CanFrameMessage frame{1'000'000, {0x123, 0x1200, 8, 1, 2, 0x01020304, kThree}, 2, 0x1122334455667788};
  EXPECT_EQ(body_of(frame),
            hex(from_hex("40420f0000000000 23010000 00120000 0800 01 02 04030201 03000000 0a0b0c"
                         "02 8877665544332211")));
}

TEST(ServiceMessages, MetricsUpdate) {
  const MetricsUpdate update{
      {{1'000'000, "Ab", MetricKind::counter, "7"}, {2, "", MetricKind::attribute, "x"}}};
  const std::string bytes =
      hex(from_hex("02000000 40420f0000000000 02000000 4162 00000000 01000000 37"
                   "0200000000000000 00000000 03000000 01000000 78"));
  EXPECT_EQ(body_of(update), bytes);
  EXPECT_EQ(decode<MetricsUpdate>(from_hex(bytes)).metrics, update.metrics);
  EXPECT_THROW((void)decode<MetricsUpdate>(from_hex("ffffff7f 00")), WireError)
      << "more than there is room for";
}

TEST(ServiceMessages, EthernetFrame) {
  EXPECT_EQ(body_of(EthernetFrameMessage{1'000'000, kThree, 2, 0x1122334455667788}),
            hex(from_hex("40420f0000000000 03000000 0a0b0c 02 8877665544332211")));
}

const LinFrame kLinFrame{0x3C, LinChecksum::classic, 3, {1, 2, 3, 4, 5, 6, 7, 8}};
const LinResponse kLinResponse{kLinFrame, LinResponseMode::send};

TEST(ServiceMessages, LinTransmission) {
  const std::string bytes = hex(from_hex("40420f0000000000 3c 02 03 0102030405060708 05"));
  EXPECT_EQ(body_of(LinTransmission{1'000'000, kLinFrame, LinFrameStatus::received}), bytes);
  const LinTransmission read = decode<LinTransmission>(from_hex(bytes));
  EXPECT_EQ(read.time_ns, 1'000'000);
  EXPECT_EQ(read.frame, kLinFrame);
  EXPECT_EQ(read.status, LinFrameStatus::received);
}

TEST(ServiceMessages, LinWakeupPulse) {
  EXPECT_EQ(body_of(LinWakeupPulse{1'000'000, 2}), hex(from_hex("40420f0000000000 02")));
  EXPECT_EQ(decode<LinWakeupPulse>(from_hex("40420f0000000000 02")).direction, 2);
}

TEST(ServiceMessages, LinControllerConfig) {
  const LinControllerConfig config{LinMode::slave, 20'000, {kLinResponse, {}}, 1};
  const std::string bytes =
      hex(from_hex("02 204e0000 02000000 3c 02 03 0102030405060708 02 00 00 00 0000000000000000 00 01"));
  EXPECT_EQ(body_of(config), bytes);
  const LinControllerConfig read = decode<LinControllerConfig>(from_hex(bytes));
  EXPECT_EQ(read.mode, LinMode::slave);
  EXPECT_EQ(read.baud_rate, 20'000U);
  EXPECT_EQ(read.responses, config.responses);
  EXPECT_EQ(read.dynamic, 1);
}

TEST(ServiceMessages, ALinControllerConfigOfOldDoesNotSayWhetherItIsDynamic) {
  EXPECT_EQ(decode<LinControllerConfig>(from_hex("01 204e0000 00000000")).dynamic, 0);
}

TEST(ServiceMessages, LinStatusUpdate) {
  EXPECT_EQ(body_of(LinStatusUpdate{INT64_MIN, LinStatus::sleep}),
            hex(from_hex("0000000000000080 02000000")));
  EXPECT_EQ(decode<LinStatusUpdate>(from_hex("0000000000000080 01000000")).status, LinStatus::operational);
}

TEST(ServiceMessages, LinFrameHeader) {
  EXPECT_EQ(body_of(LinFrameHeader{1'000'000, 0x21}), hex(from_hex("40420f0000000000 21")));
  EXPECT_EQ(decode<LinFrameHeader>(from_hex("40420f0000000000 21")).id, 0x21);
}

TEST(ServiceMessages, LinResponseUpdate) {
  const std::string bytes = hex(from_hex("01000000 3c 02 03 0102030405060708 02"));
  EXPECT_EQ(body_of(LinResponseUpdate{{kLinResponse}}), bytes);
  EXPECT_EQ(decode<LinResponseUpdate>(from_hex(bytes)).responses, std::vector{kLinResponse});
}

template <class Decode>
void expect_refused_when_cut(const std::string& bytes, Decode decode, std::size_t trailing = 0) {
  const Bytes whole = from_hex(bytes);
  EXPECT_NO_THROW(decode(whole)) << bytes;
  for (std::size_t size = 0; size < whole.size() - trailing; ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(decode(cut), WireError) << bytes << " cut to " << size;
  }
}

TEST(ServiceMessages, OfLinAreRefusedWhenTheyAreCutOff) {
  expect_refused_when_cut("40420f0000000000 3c 02 03 0102030405060708 05", decode<LinTransmission>);
  expect_refused_when_cut("40420f0000000000 02", decode<LinWakeupPulse>);
  expect_refused_when_cut("02 204e0000 01000000 3c 02 03 0102030405060708 02 01", decode<LinControllerConfig>,
                          1);
  expect_refused_when_cut("0000000000000080 02000000", decode<LinStatusUpdate>);
  expect_refused_when_cut("40420f0000000000 21", decode<LinFrameHeader>);
  expect_refused_when_cut("01000000 3c 02 03 0102030405060708 02", decode<LinResponseUpdate>);
}

TEST(ServiceMessages, LinResponsesThatAreNotThereAreNotAllocated) {
  EXPECT_THROW(decode<LinResponseUpdate>(from_hex("ffffffff 3c 02 03 0102030405060708 02")), WireError);
  EXPECT_THROW(decode<LinResponseUpdate>(from_hex("02000000 3c 02 03 0102030405060708 02")), WireError);
}

}  // namespace
}  // namespace tactus::silkit::service_messages_test
