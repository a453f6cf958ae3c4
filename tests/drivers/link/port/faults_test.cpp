// SPDX-License-Identifier: Apache-2.0
// What faults of the rig do to a link: a peer that is silent, other bytes that are sent.
#include <gtest/gtest.h>

#include <cstring>

#include "port_fixture.hpp"

namespace tactus::drivers::link::faults_test {
namespace {

using executive::LinkVerdict;

double sent(PortFixture& fixture, std::size_t offset = 0) {
  const std::byte* const slot = fixture.exchange->outbox.front();
  double value = 0;
  std::memcpy(&value, slot + sizeof(Outgoing) + offset, sizeof value);
  fixture.exchange->outbox.release();
  return value;
}

TEST(LinkFaults, ASilentSignalAgesAsIfItsSenderHadStopped) {
  PortFixture fixture;
  fixture.subscribe("quiet").max_age = Nanoseconds{2 * kMs};
  fixture.subscribe("other");
  fixture.set_up();
  fixture.grant(99);
  for (std::int64_t k = 0; k < 10; ++k) {
    fixture.port->silence(0, k >= 3 && k < 7);
    ASSERT_TRUE(fixture.message(0, k * kMs, {static_cast<double>(k)}));
    ASSERT_TRUE(fixture.message(1, k * kMs, {static_cast<double>(k)}));
    EXPECT_EQ(fixture.run(), LinkVerdict::go_on);
    EXPECT_EQ(fixture.input(0), static_cast<double>(k >= 3 && k < 7 ? 2 : k)) << k;
    EXPECT_EQ(fixture.value<std::int64_t>("quiet.age"), k >= 3 && k < 7 ? (k - 2) * kMs : 0) << k;
    EXPECT_EQ(fixture.input(1), static_cast<double>(k));
  }
  EXPECT_EQ(fixture.value<std::int64_t>("quiet.messages"), 6);
  EXPECT_EQ(fixture.port->withheld(0), 4);
  EXPECT_EQ(fixture.port->withheld(1), 0);
  EXPECT_EQ(fixture.exchange->withheld, 4);
  EXPECT_EQ(fixture.status().messages, 16);
  EXPECT_EQ(fixture.port->totals().too_old, 1);
  EXPECT_EQ(fixture.exchange->too_old_injected, 1);
}

TEST(LinkFaults, APolicyReactsAndItsReasonSaysThatItWasInjected) {
  for (const bool injected : {true, false}) {
    PortFixture fixture;
    Subscription& quiet = fixture.subscribe("quiet");
    quiet.max_age = Nanoseconds{2 * kMs};
    quiet.at_max_age = AtMaxAge::terminate;
    fixture.set_up();
    fixture.grant(99);
    LinkVerdict verdict = LinkVerdict::go_on;
    fixture.port->silence(0, injected);
    for (std::int64_t k = 0; k < 6 && verdict == LinkVerdict::go_on; ++k) {
      if (injected) ASSERT_TRUE(fixture.message(0, k * kMs, {1}));
      verdict = fixture.run();
    }
    EXPECT_EQ(verdict, LinkVerdict::terminate);
    EXPECT_EQ(std::string(fixture.port->verdict_reason()),
              std::string("the data of subscription 'quiet' are 3.0 ms old (link.subscribe.quiet.max_age)") +
                  (injected ? "; injected: a fault of the rig withholds its messages (faults:)" : ""));
    EXPECT_EQ(fixture.exchange->too_old_injected, injected ? 1 : 0);
  }
}

TEST(LinkFaults, WhatIsSentCanBeReadElsewhere) {
  PortFixture fixture;
  const executive::VariableRef a = fixture.variable("model.a"), b = fixture.variable("model.b");
  fixture.publish("both", {a, b});
  fixture.set_up();
  fixture.grant(99);
  const double of_a = 1, of_b = 2, changed = 5;
  std::memcpy(a.data(), &of_a, sizeof of_a);
  std::memcpy(b.data(), &of_b, sizeof of_b);
  fixture.run();
  EXPECT_EQ(sent(fixture), 1);
  EXPECT_EQ(fixture.port->send_from(0, 1, &changed), b.data());
  EXPECT_EQ(fixture.port->send_from(0, 1, &changed), &changed);
  fixture.run();
  EXPECT_EQ(sent(fixture, sizeof(double)), 5);
  fixture.run();
  EXPECT_EQ(sent(fixture), 1);
}

TEST(LinkFaults, SignalsAreListedWithTheirPeers) {
  PortFixture fixture;
  fixture.publish("out", {fixture.variable("model.a")});
  fixture.subscribe("in").peer = "Someone";
  const std::vector<executive::LinkSignal> all = fixture.signals.list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].sent);
  EXPECT_EQ(all[0].name, "out");
  EXPECT_FALSE(all[1].sent);
  EXPECT_EQ(all[1].number, 0U);
  EXPECT_EQ(all[1].peer, "Someone");
}

}  // namespace
}  // namespace tactus::drivers::link::faults_test
