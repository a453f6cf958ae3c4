// Golden bytes of the messages of RPC and of the buses, laid out field by field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/silkit/wire/can_messages.hpp"
#include "drivers/silkit/wire/ethernet_messages.hpp"
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
  const FunctionCall read = decode_function_call(from_hex(bytes));
  EXPECT_EQ(read.time_ns, 1'000'000);
  EXPECT_EQ(read.uuid, call.uuid);
}

TEST(ServiceMessages, FunctionCallResponse) {
  const FunctionCallResponse response{INT64_MIN, {1, 2}, {}, FunctionCallResponse::Status::internal_error};
  EXPECT_EQ(body_of(response),
            hex(from_hex("0000000000000080 0100000000000000 0200000000000000 00000000 01000000")));
}

TEST(ServiceMessages, CanFrame) {
  const CanFrameMessage frame{1'000'000, 0x123, 0x1200, 8, 1, 2, 0x01020304, kThree, 2, 0x1122334455667788};
  EXPECT_EQ(body_of(frame),
            hex(from_hex("40420f0000000000 23010000 00120000 0800 01 02 04030201 03000000 0a0b0c"
                         "02 8877665544332211")));
}

TEST(ServiceMessages, EthernetFrame) {
  EXPECT_EQ(body_of(EthernetFrameMessage{1'000'000, kThree, 2, 0x1122334455667788}),
            hex(from_hex("40420f0000000000 03000000 0a0b0c 02 8877665544332211")));
}

}  // namespace
}  // namespace tactus::silkit::service_messages_test
