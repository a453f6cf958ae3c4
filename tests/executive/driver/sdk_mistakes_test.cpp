// SPDX-License-Identifier: Apache-2.0
/// Mistakes of drivers that were built against the installed headers, which must not be believed, and be named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <tactus/clock_driver.hpp>
#include <tactus/model_driver.hpp>
#include <tactus/record_driver.hpp>
#include <vector>

#include "config/document.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/driver/sdk_driver.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/crash/current_call.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test::sdk_mistakes_test {
namespace {

using ::testing::HasSubstr;

config::Node no_keys() { return config::Document::from_text("rig.yaml", "{}").root(); }

std::string refusal(const tactus_driver& entry) {
  try {
    (void)executive::make_sdk_driver(entry, "/lib/libtactus-clock-x.so");
    return "";
  } catch (const executive::LibraryError& error) {
    return error.what();
  }
}

class Calm : public ClockDriver {
 public:
  void open(const OpenRequest&) override {}
  Edges wait(std::int64_t, std::span<std::int64_t>) noexcept override { return {}; }
  std::string what() const override { return "a calm one"; }
};
class ThrowsWhenMade final : public Calm {
 public:
  ThrowsWhenMade() { throw std::runtime_error("no table of units; install units-data"); }
};
class ThrowsInKeys final : public Calm {
 public:
  void keys(Keys& k) override {
    static bool on = false;
    k.yes_no("on", on, "is on");
    throw 7;  // NOLINT(hicpp-exception-baseclass): what strangers do
  }
};

TEST(SdkMistakes, AConstructorThatThrowsIsQuoted) {
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(refusal(*detail::clock_entry<ThrowsWhenMade>("made", "A clock.")),
              "/lib/libtactus-clock-x.so, driver 'made' of kind 'clock', cannot be used: the constructor or "
              "keys() of "
              "its class threw an exception: no table of units; install units-data");
    EXPECT_THAT(refusal(*detail::clock_entry<ThrowsInKeys>("keys", "A clock.")),
                HasSubstr("threw something that is not a std::exception"));
  }
}

/// What a clock answers to a wait, whatever the contract says.
struct Answer {
  std::int64_t stamp = 0;
  std::uint32_t count = 1;
  int status = TACTUS_EDGES;
  bool writes = true;
  bool past_room = false;
};
Answer g_answer;

tactus_edge_status answer(void*, std::int64_t, tactus_edges* edges) {
  for (std::uint32_t i = 0; g_answer.writes && i < edges->room; ++i) edges->stamps_ns[i] = g_answer.stamp;
  if (g_answer.past_room) edges->stamps_ns[edges->room] = g_answer.stamp;
  edges->count = g_answer.count;
  tactus_edge_status status{};
  std::memcpy(&status, &g_answer.status, sizeof status);
  return status;
}

/// The mistake that is found in an answer; empty: it is believed.
std::string mistake_of(const Answer& given) {
  g_answer = given;
  tactus_driver entry = *detail::clock_entry<Calm>("calm", "A clock.");
  tactus_clock_functions functions{};
  std::memcpy(&functions, entry.functions, sizeof functions);
  functions.wait = &answer;
  entry.functions = &functions;
  const auto driver = executive::make_sdk_driver(entry, "x.so");
  auto& clock = static_cast<executive::ClockDriver&>(*driver);
  config::Problems none;
  clock.read(no_keys(), "clock", none);
  const auto source = clock.open({.rig = "bench"});
  std::vector<rtsync::TimePoint<rtsync::MonotonicTime>> edges(8);
  const rtsync::EdgeRead read = source->wait(rtsync::monotonic_now(), edges);
  const std::string found = dynamic_cast<const executive::CheckedEdges&>(*source).mistake();
  EXPECT_EQ(read.status == rtsync::EdgeStatus::gone, !found.empty()) << found;
  EXPECT_EQ(source->what().find(found) != std::string::npos, true) << source->what();
  EXPECT_EQ(rtsync::current_call(), nullptr);
  return found;
}

TEST(SdkMistakes, AnAnswerOfAClockThatMakesNoSenseIsNotBelieved) {
  tactus::test::Snapshot texts;
  const std::int64_t now = rtsync::monotonic_now().time_since_epoch().count();
  constexpr std::int64_t kSecond = 1'000'000'000;
  EXPECT_EQ(mistake_of({.stamp = now}), "");
  EXPECT_EQ(mistake_of({.stamp = now, .count = 8}), "") << "as many as there is room for";
  EXPECT_EQ(mistake_of({.stamp = now, .count = 0}), "") << "a spurious wake";
  EXPECT_EQ(mistake_of({.stamp = now - kSecond}), "") << "it waited in the device";
  EXPECT_EQ(mistake_of({.count = 0, .status = TACTUS_NO_EDGE, .writes = false}), "");
  for (const std::int64_t odd : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, now + 3600 * kSecond})
    EXPECT_THAT(mistake_of({.stamp = odd}), HasSubstr("stamped an edge at " + std::to_string(odd) + " ns, "));
  texts.add(mistake_of({.writes = false}));
  texts.add(mistake_of({.stamp = now, .past_room = true}));
  texts.add(mistake_of({.stamp = now, .count = 9}));
  texts.add(mistake_of({.stamp = now, .status = 3}));
}

/// As docs/drivers.md shows it: a key that must be given, of which check() wants more.
class AtAPort final : public Calm {
 public:
  void keys(Keys& k) override { k.text("port", port_, {1, 200}, "the serial port").required(); }
  void check(const Problems& problems) override {
    if (!port_.starts_with("/")) problems.add("port", "is not a path from the root");
  }
  std::vector<ClockFact> facts(const ClockQuestion&) override {
    return {{TACTUS_FACT_OK, "port", port_, "a port", "", ""}};
  }

 private:
  std::string port_;
};

TEST(SdkMistakes, AClockWhoseDefaultKeysDoNotFitIsNotAskedAboutTheMachine) {
  const auto driver =
      executive::make_sdk_driver(*detail::clock_entry<AtAPort>("port", "A clock."), "/lib/port.so");
  auto& clock = static_cast<executive::ClockDriver&>(*driver);
  EXPECT_TRUE(clock.facts({}).empty()) << clock.facts({}).front().found;
  config::Problems problems;
  clock.read(config::Document::from_text("rig.yaml", "{ port: /dev/ttyUSB0 }").root(), "clock", problems);
  ASSERT_EQ(problems.count(), 0U) << problems.text();
  ASSERT_EQ(clock.facts({}).size(), 1U);
  EXPECT_EQ(clock.facts({}).front().found, "/dev/ttyUSB0");
}

class Pins final : public ModelDriver {
 public:
  void declare(Declare&) override {}
  void open(const OpenRequest&) override {}
  bool has_safe_values() const override { return true; }
  bool drive_safe(bool) noexcept override {
    const char* const call = rtsync::current_call();
    seen_ = call == nullptr ? "" : call;
    return true;
  }
  std::vector<DrivenOutput> outputs() const override {
    if (throws_) throw std::runtime_error("no list");
    return {};
  }
  static inline bool throws_ = false;
  static inline std::string seen_;
};

TEST(SdkMistakes, OutputsThatThrowAreNoOutputs) {
  const auto driver = executive::make_sdk_driver(*detail::model_entry<Pins>("pins", "Pins."), "/lib/pins.so");
  auto& pins = static_cast<executive::ModelDriver&>(*driver);
  config::Problems problems;
  Pins::throws_ = true;
  EXPECT_EQ(pins.make(no_keys(), "models.p", problems), nullptr);
  EXPECT_THAT(problems.text(), HasSubstr("models.p: driver 'pins': its function outputs() failed"));
  Pins::throws_ = false;
  config::Problems none;
  const auto model = pins.make(no_keys(), "models.p", none);
  ASSERT_NE(model, nullptr) << none.text();
  EXPECT_TRUE(model->safe_output()->drive_safe());
  EXPECT_EQ(Pins::seen_, "driver 'pins' drove its outputs safe (/lib/pins.so)")
      << "for the report of a crash";
  EXPECT_EQ(rtsync::current_call(), nullptr);
}

/// Files of lines, whose last one is "end".
class Lines final : public RecordDriver {
 public:
  void open(const std::string&, const Recording&) override {}
  void write(const std::byte*) override {}
  void flush() override {}
  void close() override {}
  Examined examine(const std::string& file) const override {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    Examined found;
    found.bytes = text.size();
    found.whole = text.rfind('\n') + 1;
    if (!text.ends_with("end\n")) found.unended = "its last line";
    return found;
  }
  bool mend(const std::string& file, const Examined& found) const override {
    if (file.ends_with(".cut")) return false;
    if (file.ends_with(".bad")) throw std::runtime_error("the tape is worn out");
    std::ofstream(file, std::ios::app) << (found.bytes == found.whole ? "end\n" : "\nend\n");
    return true;
  }
};

TEST(SdkMistakes, AFormatMendsItsOwnFiles) {
  const TempDir dir;
  const auto driver = executive::make_sdk_driver(
      *detail::record_entry<Lines>("lines", "", ".lines", "Lines.", false), "x.so");
  const auto& format = static_cast<executive::RecordDriver&>(*driver);
  const auto mended = [&](const char* name) {
    dir.write(name, "one\ntw");
    const executive::RecordedFile found = format.examine(dir / name);
    EXPECT_EQ(found.whole, 4U);
    EXPECT_EQ(found.unended, "its last line");
    format.mend(found);
    std::ifstream stream(dir / name);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  EXPECT_EQ(mended("a.lines"), "one\ntw\nend\n");
  EXPECT_EQ(mended("a.cut"), "one\n") << "nothing but the cut, which is made for it";
  EXPECT_THROW((void)mended("a.bad"), std::runtime_error);
}

/// A driver that was built with the first headers of version 1 of the ABI has no mend().
TEST(SdkMistakes, AFormatOfTheFirstHeadersIsCut) {
  const TempDir dir;
  tactus_driver entry = *detail::record_entry<Lines>("lines", "", ".lines", "Lines.", false);
  tactus_record_functions functions{};
  std::memcpy(&functions, entry.functions, sizeof functions);
  functions.size = offsetof(tactus_record_functions, mend);
  entry.functions = &functions;
  entry.size = offsetof(tactus_driver, failure);
  const auto driver = executive::make_sdk_driver(entry, "x.so");
  const auto& format = static_cast<executive::RecordDriver&>(*driver);
  dir.write("a.lines", "one\ntw");
  const executive::RecordedFile found = format.examine(dir / "a.lines");
  EXPECT_EQ(found.unended, "");
  format.mend(found);
  EXPECT_EQ(std::filesystem::file_size(dir / "a.lines"), 4U);
}

TEST(SdkMistakes, ATextPastItsRoomIsFound) {
  tactus_driver entry = *detail::record_entry<Lines>("lines", "", ".lines", "Lines.", false);
  tactus_record_functions functions{};
  std::memcpy(&functions, entry.functions, sizeof functions);
  functions.flush = [](void*, tactus_failure* failure) {
    std::memset(failure->text, 'x', failure->room + 1);
    return 1;
  };
  functions.examine = [](const char*, tactus_examined* found, tactus_failure*) {
    std::memset(found->damage, 'x', found->damage_room + 1);
    return 0;
  };
  entry.functions = &functions;
  const auto driver = executive::make_sdk_driver(entry, "x.so");
  auto& format = static_cast<executive::RecordDriver&>(*driver);
  config::Problems none;
  const auto why = [](auto call) {
    try {
      call();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      why([&] { format.make(no_keys(), "record.a", none)->flush(); }),
      "driver 'lines': its function flush() wrote a text past the 1024 bytes of room that it was given");
  EXPECT_THAT(why([&] { (void)format.examine("x"); }),
              HasSubstr("its function examine() wrote a text past the 512"));
}

}  // namespace
}  // namespace tactus::test::sdk_mistakes_test
