// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "drivers/can/port/simulated_bus.hpp"
#include "tests/drivers/can/model/bus_host.hpp"

namespace tactus::test {

/// A database, a model on a simulated bus, and a station that sees and sends frames.
class __attribute__((visibility("hidden"))) BusTest : public testing::Test {
 protected:
  using CanFrame = drivers::can::CanFrame;
  struct Seen {
    std::int64_t stamp;
    CanFrame frame;
  };

  BusTest() { peer_ = drivers::can::SimulatedBus::named(interface_, {500'000, 0})->join({500'000, 0}, 1000); }

  /// Writes the database: nodes A and B, then `text`.
  void database(const std::string& text) { (void)dir_.write("bus.dbc", "VERSION \"\"\nBU_: A B\n" + text); }
  std::string section(const std::string& keys) const {
    return "interface: \"" + interface_ + "\"\ndatabase: " + (dir_ / "bus.dbc").string() + "\n" + keys + "\n";
  }
  void start(const std::string& keys, std::int64_t period = 1'000'000) {
    host_ = std::make_unique<BusHost>(driver_, section(keys), period);
  }
  std::string problems(const std::string& keys) { return problems_of(driver_, section(keys)); }

  /// Runs frames; what the peer sees is in `seen_`.
  void frames(int number) {
    for (int i = 0; i < number; ++i) {
      ASSERT_TRUE(host_->frame()) << host_->failure();
      look();
    }
  }
  void look() {
    peer_->begin(host_->time(), 1'000'000);
    drivers::can::PortEvent event;
    while (peer_->receive(event, false))
      if (event.kind == drivers::can::PortEvent::Kind::received) seen_.push_back({event.stamp, event.frame});
  }
  /// The frames (of 1 ms) in which messages with this id were handed to the bus.
  std::vector<std::int64_t> times_of(std::uint32_t id) const {
    std::vector<std::int64_t> all;
    for (const Seen& each : seen_)
      if (each.frame.id == id) all.push_back(each.stamp / 1'000'000);
    return all;
  }
  /// The peer sends; it comes with the next frame.
  void send(std::uint32_t id, const std::vector<int>& bytes, bool extended = false) {
    CanFrame frame;
    frame.id = id;
    frame.extended = extended;
    frame.length = static_cast<std::uint8_t>(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) frame.data.at[i] = static_cast<std::uint8_t>(bytes[i]);
    peer_->begin(host_->time(), 1'000'000);
    ASSERT_TRUE(peer_->send(frame, 0, -900'000));
  }

  TempDir dir_;
  std::string interface_ =
      std::string("simulated:") + testing::UnitTest::GetInstance()->current_test_info()->name();
  CanDriver driver_;
  std::unique_ptr<drivers::can::SimulatedPort> peer_;
  std::unique_ptr<BusHost> host_;
  std::vector<Seen> seen_;
};

}  // namespace tactus::test
