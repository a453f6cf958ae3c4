// SPDX-License-Identifier: Apache-2.0
/// Faults that begin and end on the thread of the frames while the model's jobs run on one of their own, and a third one reads
/// its log, as with a model on an asynchronous thread.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "tests/drivers/can/model/bus_test.hpp"

namespace tactus::drivers::can::fault_threads_test {
namespace {

class CanFaultThreads : public test::BusTest {
 protected:
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  }
};

TEST_F(CanFaultThreads, AllKindsBesideTheJobs) {
  database(
      "BO_ 1 M: 8 A\n SG_ X : 40|8@1+ (1,0) [0|0] \"\" B\nBO_ 2 N: 8 A\n SG_ Y : 0|8@1+ (1,0) [0|0] \"\" B\n"
      " SG_ Cnt : 8|4@1+ (1,0) [0|0] \"\" B\nBO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) [0|0] \"\" A\n");
  start(
      "receive: { R: { cycle: 2 ms } }\nsend: { M: { cycle: 1 ms, checksum: { profile: e2e_5, data_id: 7 } "
      "}, "
      "N: { cycle: 2 ms, counter: Cnt } }");
  const auto offered = host_->model().faults();
  constexpr std::uint32_t kRounds = 20;  // of faults, beside the frames
  std::atomic<bool> is_over{false};
  std::atomic<std::uint32_t> rounds{0};
  std::string log;
  std::thread jobs([&] {
    for (int frame = 0; (frame < 3000 || rounds.load() < kRounds) && host_->frame(); ++frame)
      if (frame % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    is_over.store(true);
  });
  std::thread reader([&] {
    while (!is_over.load()) {
      log += host_->messages();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  for (std::uint32_t round = 0; !is_over.load(); rounds.store(++round))
    for (std::uint32_t number = 0; number < offered.size(); ++number) {
      if (!offered[number].refused.empty()) continue;
      // An amount of 2.5 is rounded, and that is said by the thread of the jobs.
      host_->model().disturb(number, (round + number) % 2 == 0, offered[number].unit == "s" ? 0.0005 : 2.5);
    }
  jobs.join();
  reader.join();
  ASSERT_TRUE(host_->frame()) << host_->failure();
  log += host_->messages();
  std::uint64_t counted = 0;  // asked for after the last frame alone
  for (std::uint32_t number = 0; number < offered.size(); ++number)
    counted += host_->model().disturbed(number);
  EXPECT_GT(counted, 0U) << "faults had an effect";
  for (const char* const each :
       {"fault wrong_length of M is rounded to 3", "fault wrong_length of N is rounded to 3",
        "fault error_frames of the bus is rounded to 3"})
    EXPECT_EQ(count(log, each), 1U) << each << "\n" << log;
}

}  // namespace
}  // namespace tactus::drivers::can::fault_threads_test
