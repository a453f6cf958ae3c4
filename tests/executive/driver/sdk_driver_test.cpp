// SPDX-License-Identifier: Apache-2.0
/// Drivers that were built against the installed headers, with mistakes: each becomes a sentence.
#include "executive/driver/sdk_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tactus/clock_driver.hpp>
#include <tactus/model_driver.hpp>
#include <tactus/record_driver.hpp>
#include <tactus/record_file.hpp>
#include <vector>

#include "config/document.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test::sdk_driver_test {
namespace {

using executive::LibraryError;
using ::testing::HasSubstr;

/// A driver whose functions do what a test says.
enum class Does { right, throws, fails };
Does g_open = Does::right, g_write = Does::right, g_make = Does::right, g_close = Does::right;

void act(Does does) {
  if (does == Does::fails) throw std::runtime_error("the tape is full; put in another");
  if (does == Does::throws) throw 7;  // NOLINT(hicpp-exception-baseclass): what strangers do
}

struct Point {
  std::string name{};
  std::string line{};
  std::vector<std::string> lines{};
  bool active_low = false;
};
enum class Parity { none, even };

struct Range {
  double high = 1;
};

struct Keys1 {
  bool on = true;
  int count = 3;
  std::int8_t small = 1;
  std::uint64_t wide = 7;
  double level = 1.5;
  std::chrono::nanoseconds wait{250'000};
  std::string port{};
  Parity parity = Parity::even;
  std::vector<std::string> words{};
  std::vector<Point> points{};
  Point one{};
  Range range{4};

  void keys(Keys& k) {
    const auto point = [](Keys& inner, Point& p) {
      inner.text("line", p.line, {1, 31}, "one line");
      inner.texts("lines", p.lines, {1, 31}, "several lines");
      inner.yes_no("active_low", p.active_low, "is low");
    };
    k.yes_no("on", on, "is on");
    k.whole("count", count, {1, 10}, "how many");
    k.whole("wide", wide, {}, "a wide one");
    k.number("level", level, "V", {-5, 5}, "how high");
    k.time("wait", wait, {std::chrono::microseconds(1), std::chrono::seconds(1)}, "how long");
    k.text("port", port, {1, 20}, "which port").required();
    k.word("parity", parity, {{"none", Parity::none}, {"even", Parity::even, "an even one"}}, "the check");
    k.texts("words", words, {1, 5}, "some words");
    k.named("points", points, "point", "the points", point)
        .short_value("line")
        .short_list("lines")
        .at_least(1);
    k.section("one", one, "one point", point);
    k.whole("small", small, {-500, 500}, "a small one");
    k.section("range", range, "limits", [](Keys& inner, Range& r) {
      inner.number("high", r.high, "V", {-10, 10}, "the upper one");
      inner.refused("width", "a range has no width; write 'high'");
    });
    k.refused("gain", "a tape has no gain; scale in the model");
  }
};

Keys1 g_read;

class Tape final : public RecordDriver {
 public:
  void keys(Keys& k) override { read_.keys(k); }
  void check(const Problems& problems) override {
    act(g_make);
    g_read = read_;
    if (read_.port == "bad") problems.add("port", "is a bad one");
    for (const Point& point : read_.points)
      if (point.line.empty() == point.lines.empty())
        problems.add("points." + point.name, "needs one of both");
  }
  void open(const std::string& file, const Recording&) override {
    act(g_open);
    file_.create(file);
  }
  void write(const std::byte*) override {
    if (g_write == Does::fails) throw RecordsLost("the tape is full; put in another", 4);
    act(g_write);
  }
  void flush() override {}
  void close() override {
    act(g_close);
    file_.close();
  }

 private:
  Keys1 read_;
  RecordFile file_;
};

const tactus_driver& tape() { return *detail::record_entry<Tape>("tape", "", ".tape", "A tape.", false); }

std::string refusal(const tactus_driver& entry) {
  try {
    (void)executive::make_sdk_driver(entry, "libtactus-record-tape.so");
    return "";
  } catch (const LibraryError& error) {
    return error.what();
  }
}

class SdkDriver : public testing::Test {
 protected:
  void SetUp() override { g_open = g_write = g_make = g_close = Does::right; }

  std::unique_ptr<executive::RecordSink> sink(const std::string& yaml) {
    problems_ = {};
    driver_ = executive::make_sdk_driver(tape(), "libtactus-record-tape.so");
    auto& format = static_cast<executive::RecordDriver&>(*driver_);
    return format.make(config::Document::from_text("rig.yaml", yaml).root(), "record.a", problems_);
  }
  std::string problems(const std::string& yaml) {
    const auto made = sink(yaml);
    EXPECT_EQ(made == nullptr, !problems_.empty());
    return problems_.text();
  }

  std::unique_ptr<executive::Driver> driver_;
  config::Problems problems_;
};

constexpr const char* kGood = "{ port: com, points: { a: 4 } }";

TEST_F(SdkDriver, OfAnotherAbiOrSizeIsRefused) {
  tactus::test::Snapshot texts;
  const auto with = [](auto change) {
    tactus_driver entry = tape();
    change(entry);
    return refusal(entry);
  };
  EXPECT_EQ(refusal(tape()), "");
  texts.add(with([](tactus_driver& entry) { entry.abi_version = 2; }));
  for (const std::uint32_t size : {0U, 8U, 71U, 79U})
    texts.add(with([&](tactus_driver& entry) { entry.size = size; }));
  EXPECT_EQ(with([](tactus_driver& entry) { entry.size += 8; }), "") << "a later one has more";
  EXPECT_EQ(with([](tactus_driver& entry) { entry.size = 72; }), "") << "the first one has less";
  texts.add(with([](tactus_driver& entry) { entry.name = nullptr; }));
  texts.add(with([](tactus_driver& entry) { entry.kind = "telepathy"; }));
  texts.add(with([](tactus_driver& entry) { entry.make = nullptr; }));
  texts.add(with([](tactus_driver& entry) { entry.functions = nullptr; }));
  texts.add(with([](tactus_driver& entry) { entry.keys = nullptr; }));
  try {
    (void)executive::known_driver(nullptr, "x.so");
    ADD_FAILURE();
  } catch (const LibraryError& error) {
    texts.add(error.what());
  }
}

TEST_F(SdkDriver, FunctionsThatAreMissingOrOfAnotherSizeAreNamed) {
  tactus::test::Snapshot texts;
  const auto with = [](auto change) {
    tactus_record_functions functions{};
    std::memcpy(&functions, tape().functions, sizeof functions);
    change(functions);
    tactus_driver entry = tape();
    entry.functions = &functions;
    return refusal(entry);
  };
  texts.add(with([](auto& f) { f.size = 16; }));
  texts.add(with([](auto& f) { f.write = nullptr; }));
  texts.add(with([](auto& f) { f.next = nullptr; }));
  texts.add(with([](auto& f) { f.extension = "tape"; }));
  texts.add(with([](auto& f) { f.extension = nullptr; }));
  texts.add(with([](auto& f) { f.prefix = "../"; }));
  EXPECT_EQ(with([](auto& f) { f.examine = nullptr, f.read = nullptr, f.omits = nullptr; }), "");
}

TEST_F(SdkDriver, KeysThatMakeNoSenseAreNamed) {
  tactus::test::Snapshot texts;
  const auto with = [](auto change) {
    std::vector<tactus_key> keys;
    for (std::size_t i = 0; i < tape().key_count; ++i) keys.push_back(*tape().keys[i]);
    change(keys);
    std::vector<const tactus_key*> pointers;
    for (const tactus_key& key : keys) pointers.push_back(&key);
    tactus_driver entry = tape();
    entry.keys = pointers.data();
    entry.key_count = pointers.size();
    return refusal(entry);
  };
  texts.add(with([](auto& k) { k[0].size = 12; }));
  texts.add(with([](auto& k) { k[1].name = "on"; }));
  texts.add(with([](auto& k) { k[1].name = "two words"; }));
  texts.add(with([](auto& k) { k[1].low = 11; }));
  texts.add(with([](auto& k) { k[1].fallback = "11"; }));
  texts.add(with([](auto& k) { k[3].unit = "m2"; }));
  texts.add(with([](auto& k) { k[6].word_count = 0; }));
  texts.add(with([](auto& k) { k[8].keys = nullptr; }));
  texts.add(with([](auto& k) {
    const int wrong = 99;
    std::memcpy(&k[0].type, &wrong, sizeof wrong);
  }));
}

TEST_F(SdkDriver, ANumberThatDoesNotFitItsMemberIsRefused) {
  tactus::test::Snapshot texts;
  texts.add(problems("{ port: com, points: { a: 4 }, small: 300 }"));
  texts.add(problems("{ port: com, points: { a: 4 }, wide: -1 }"));
  EXPECT_EQ(problems("{ port: com, points: { a: 4 }, small: -128 }"), "");
}

TEST_F(SdkDriver, AKeyThatThereIsNotIsRefusedWithItsOwnSentence) {
  tactus::test::Snapshot texts;
  texts.add(problems("port: com\npoints: { a: 4 }\ngain: 3\n"));
  texts.add(problems("{ port: com, points: { a: 4 }, range: { width: 1 V } }"));
  texts.add(problems("{ port: com, points: { a: 4 }, gian: 3 }"));
  const auto driver = executive::make_sdk_driver(tape(), "tape.so");
  for (const config::KeyShape& key : driver->section()->keys)
    EXPECT_NE(key.key, "gain") << "no page lists it";
}

/// A driver that was built with the first headers of version 1 of the ABI.
TEST_F(SdkDriver, KeysWithoutWhatCameLaterAreRead) {
  std::vector<tactus_key> keys;
  for (std::size_t i = 0; i < tape().key_count; ++i)
    if (tape().keys[i]->refused == nullptr) keys.push_back(*tape().keys[i]);
  std::vector<const tactus_key*> pointers;
  for (tactus_key& key : keys) {
    key.size = offsetof(tactus_key, refused);
    key.refused = "must not be read";
    pointers.push_back(&key);
  }
  tactus_driver entry = tape();
  entry.keys = pointers.data();
  entry.key_count = pointers.size();
  ASSERT_EQ(refusal(entry), "");
  EXPECT_EQ(executive::make_sdk_driver(entry, "tape.so")->section()->keys.size(), keys.size());
}

/// The defaults of a section are those of the member, not of its type.
TEST_F(SdkDriver, ASectionShowsTheDefaultsThatHold) {
  const auto driver = executive::make_sdk_driver(tape(), "tape.so");
  for (const config::KeyShape& key : driver->section()->keys)
    if (key.key == "range") EXPECT_EQ(key.shape->section->keys.at(0).default_text, "4 V");
  ASSERT_NE(sink(kGood), nullptr);
  EXPECT_EQ(g_read.range.high, 4);
}

TEST_F(SdkDriver, ReadsItsKeysIntoMembers) {
  ASSERT_NE(
      sink("{ on: no, count: 5 , wide: 9000000000000000000, level: 200 mV, wait: 1 ms, port: com, parity: "
           "none, "
           "words: [x, y], points: { a: 4, b: [5, 6], c: { line: D, active_low: yes } }, one: { line: z } }"),
      nullptr)
      << problems_.text();
  EXPECT_FALSE(g_read.on);
  EXPECT_EQ(g_read.count, 5);
  EXPECT_EQ(g_read.wide, 9'000'000'000'000'000'000U);
  EXPECT_EQ(g_read.level, 0.2);
  EXPECT_EQ(g_read.wait, std::chrono::milliseconds(1));
  EXPECT_EQ(g_read.port, "com");
  EXPECT_EQ(g_read.parity, Parity::none);
  EXPECT_EQ(g_read.words, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(g_read.points.size(), 3U);
  EXPECT_EQ(g_read.points[0].name, "a");
  EXPECT_EQ(g_read.points[0].line, "4");
  EXPECT_EQ(g_read.points[1].lines, (std::vector<std::string>{"5", "6"}));
  EXPECT_TRUE(g_read.points[2].active_low);
  EXPECT_EQ(g_read.one.line, "z");
  ASSERT_NE(sink(kGood), nullptr) << "what is not given keeps its default";
  EXPECT_TRUE(g_read.on);
  EXPECT_EQ(g_read.level, 1.5);
  EXPECT_EQ(g_read.wait, std::chrono::microseconds(250));
  EXPECT_EQ(g_read.parity, Parity::even);
}

TEST_F(SdkDriver, SaysWhatIsWrongWithItsSectionAtItsPlace) {
  tactus::test::Snapshot texts;
  texts.add(problems("{ points: { a: 4 } }"));
  texts.add(problems("port: com\npoints: { a: 4 }\ncount: 11\n"));
  texts.add(problems("port: com\npoints: { a: 4 }\nlevel: 3 A\n"));
  texts.add(problems("port: com\npoints: { a: 4 }\nprot: x\n"));
  texts.add(problems("port: com\npoints: {}\n"));
  texts.add(problems("port: com\npoints: { a: { on: 4 } }\n"));
  texts.add(problems("points: { a: 4 }\nport: bad\n"));
  texts.add(problems("port: com\npoints:\n  a: 4\n  b: {}\n"));
  g_make = Does::fails;
  texts.add(problems(kGood));
  g_make = Does::throws;
  texts.add(problems(kGood));
}

TEST_F(SdkDriver, AFormatThatThrowsLosesRecordsWithAReason) {
  const TempDir folder;
  const executive::RecordingHead head{"a", {{"x", "", TACTUS_DOUBLE, 8}}};
  const auto lost = [](auto call) {
    try {
      call();
      return std::pair<std::string, std::uint64_t>("", 0);
    } catch (const executive::RecordsLost& error) {
      return std::pair<std::string, std::uint64_t>(error.what(), error.records());
    }
  };
  const std::vector<std::byte> record(16);
  auto made = sink(kGood);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->file_name("a"), "a.tape");
  g_open = Does::throws;
  tactus::test::Snapshot().add(lost([&] { made->open(folder / "a.tape", head); }).first);
  g_open = Does::right;
  made->open(folder / "a.tape", head);
  EXPECT_THAT(lost([&] { sink(kGood)->open(folder / "a.tape", head); }).first, HasSubstr("File exists"));
  made->write(record.data());
  g_write = Does::fails;
  const auto [why, records] = lost([&] { made->write(record.data()); });
  EXPECT_EQ(why, "the tape is full; put in another");
  EXPECT_EQ(records, 4U);
  g_close = Does::throws;
  EXPECT_NE(lost([&] { made->close(); }).first, "");
  g_close = Does::right;
  made->close();
}

/// Not all strangers write C++: an exception that crosses the C ABI is caught, too.
TEST_F(SdkDriver, AnExceptionThatLeavesAFunctionIsCaught) {
  tactus_record_functions functions{};
  std::memcpy(&functions, tape().functions, sizeof functions);
  functions.flush = [](void*, tactus_failure*) -> int { throw std::runtime_error("over the fence"); };
  tactus_driver entry = tape();
  entry.functions = &functions;
  const auto driver = executive::make_sdk_driver(entry, "x.so");
  config::Problems none;
  const auto made = static_cast<executive::RecordDriver&>(*driver).make(
      config::Document::from_text("rig.yaml", kGood).root(), "record.a", none);
  try {
    made->flush();
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    tactus::test::Snapshot().add(error.what());
  }
}

TEST_F(SdkDriver, AReaderThatMakesNoSenseIsRefused) {
  tactus::test::Snapshot texts;
  static tactus_column column{};
  static const tactus_column* columns[] = {&column};
  static tactus_recording recording{};
  column = {sizeof(tactus_column), TACTUS_DOUBLE, "x", "", "", 8, nullptr, 0, 0};
  recording = {sizeof(tactus_recording), 1, "a", 0, 16, columns};
  tactus_record_functions functions{};
  std::memcpy(&functions, tape().functions, sizeof functions);
  functions.read = [](const char*, void** reader, tactus_failure*) { return *reader = &recording, 0; };
  functions.recording = [](void*) -> const tactus_recording* { return &recording; };
  functions.next = [](void*, void*, tactus_failure* failure) {
    return detail::failed(failure, "row 3"), TACTUS_NEXT_DAMAGED;
  };
  functions.end_read = [](void*) {};
  functions.examine = [](const char*, tactus_examined* found, tactus_failure*) {
    found->whole = 5;
    return 0;
  };
  tactus_driver entry = tape();
  entry.functions = &functions;
  const auto driver = executive::make_sdk_driver(entry, "x.so");
  const auto& format = static_cast<executive::RecordDriver&>(*driver);
  const auto refused = [&] {
    try {
      (void)format.read("a.tape");
      return std::string();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused(), "");
  std::vector<std::byte> record(16);
  EXPECT_THROW((void)format.read("a.tape")->next(record.data()), executive::DamagedRecord);
  column.offset = 12;
  texts.add(refused());
  column.offset = 8;
  recording.record_bytes = 17;
  texts.add(refused());
  recording.record_bytes = 16;
  const int wrong = 77;
  std::memcpy(&column.type, &wrong, sizeof wrong);
  texts.add(refused());
  column.type = TACTUS_DOUBLE;
  column.size = 8;
  texts.add(refused());
  recording.size = 4;
  EXPECT_THAT(refused(), HasSubstr("its size is 4"));
  EXPECT_THROW((void)format.examine("a.tape"), std::runtime_error) << "more is whole than there is";
}

class Gauge final : public ModelDriver {
 public:
  void keys(Keys& k) override { k.number("scale", scale_, "V", {}, "how much"); }
  void declare(Declare& d) override {
    d.output("value", value_, "V", "what it says");
    d.job<&Gauge::read>("read", JobClass::top_of_frame);
  }
  void open(const OpenRequest& request) override {
    act(g_open);
    rig_ = request.rig;
  }
  bool has_safe_values() const override { return true; }
  bool drive_safe(bool for_good) noexcept override { return ++driven_, for_good_ = for_good, driven_ < 3; }
  std::vector<DrivenOutput> outputs() const override {
    return {{"value", "a needle", "0.5"}, {"b", "c", ""}};
  }
  int read() {
    value_ = scale_ * 2;
    return 0;
  }

  double scale_ = 1, value_ = 0;
  std::string rig_;
  int driven_ = 0;
  bool for_good_ = false;
};

TEST_F(SdkDriver, AModelIsOpenedRunAndDrivenSafe) {
  const auto driver = executive::make_sdk_driver(*detail::model_entry<Gauge>("gauge", "A gauge."), "x.so");
  config::Problems none;
  const auto model = static_cast<executive::ModelDriver&>(*driver).make(
      config::Document::from_text("rig.yaml", "scale: 3 V").root(), "models.g", none);
  ASSERT_NE(model, nullptr) << none.text();
  const tactus_model described{
      TACTUS_ABI_VERSION, sizeof(tactus_model), "gauge", "", nullptr, model->face().declare, nullptr};
  const executive::ModelInstance instance(described, "g", model->face().self);
  auto& gauge = static_cast<Gauge&>(*static_cast<Model*>(model->face().self));
  g_open = Does::fails;
  try {
    model->open({.rig = "bench"});
    ADD_FAILURE();
  } catch (const executive::DeviceError& error) {
    EXPECT_STREQ(error.what(), "the tape is full; put in another");
  }
  g_open = Does::right;
  model->open({.rig = "bench"});
  EXPECT_EQ(gauge.rig_, "bench");
  const tactus_call call{};
  ASSERT_EQ(instance.jobs().size(), 1U);
  EXPECT_EQ(instance.jobs()[0].run(instance.self(), &call), 0);
  EXPECT_EQ(*static_cast<double*>(instance.find_variable("value")->data), 6);
  ASSERT_NE(model->safe_output(), nullptr);
  EXPECT_TRUE(model->safe_output()->drive_safe());
  EXPECT_FALSE(gauge.for_good_);
  EXPECT_TRUE(model->safe_output()->end_safe());
  EXPECT_TRUE(gauge.for_good_);
  EXPECT_FALSE(model->safe_output()->drive_safe()) << "the device refused";
  const auto outputs = model->outputs();
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].safe, 0.5);
  EXPECT_TRUE(outputs[1].safe.is_null());
}

class Beat final : public ClockDriver {
 public:
  void keys(Keys& k) override { k.whole("edges", edges_, {}, "edges each time"); }
  void open(const OpenRequest&) override { act(g_open); }
  Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept override {
    if (edges_ < 0) return {TACTUS_CLOCK_GONE, 0, false, 0};
    for (std::size_t i = 0; i < static_cast<std::size_t>(edges_) && i < stamps.size(); ++i)
      stamps[i] = deadline_ns;
    return {edges_ > 0 ? TACTUS_EDGES : TACTUS_NO_EDGE, static_cast<std::size_t>(edges_), edges_ > 1, 0};
  }
  std::string what() const override { return asked_++ == 0 ? "a beat" : "a beat; the drum is broken"; }
  std::vector<ClockFact> facts(const ClockQuestion& question) override {
    act(g_open);
    return {{question.configured ? TACTUS_FACT_OK : TACTUS_FACT_FAIL, "beat", "one", "two", "", "mend it"}};
  }

 private:
  int edges_ = 1;
  mutable int asked_ = 0;
};

TEST_F(SdkDriver, AClockWaitsForEdges) {
  using rtsync::EdgeStatus;
  const auto driver = executive::make_sdk_driver(*detail::clock_entry<Beat>("beat", "A beat."), "x.so");
  auto& clock = static_cast<executive::ClockDriver&>(*driver);
  EXPECT_EQ(clock.facts({}).at(0).grade, rtsync::Grade::fail) << "not configured";
  EXPECT_THROW((void)clock.open({}), executive::DeviceError);
  std::vector<rtsync::TimePoint<rtsync::MonotonicTime>> edges(8);
  const auto opened = [&](int count) {
    config::Problems none;
    clock.read(config::Document::from_text("rig.yaml", "edges: " + std::to_string(count)).root(), "clock",
               none);
    EXPECT_TRUE(none.empty());
    return clock.open({.rig = "bench"});
  };
  const rtsync::TimePoint<rtsync::MonotonicTime> deadline = rtsync::monotonic_now();
  rtsync::EdgeRead read = opened(2)->wait(deadline, edges);
  EXPECT_EQ(read.status, EdgeStatus::edges);
  EXPECT_EQ(read.count, 2U);
  EXPECT_TRUE(read.overflowed);
  EXPECT_EQ(edges[1], deadline);
  EXPECT_EQ(opened(0)->wait(deadline, edges).status, EdgeStatus::timeout);
  read = opened(-1)->wait(deadline, edges);
  EXPECT_EQ(read.status, EdgeStatus::gone);
  EXPECT_NE(read.error, 0) << "a reason is always there";
  EXPECT_EQ(opened(9)->wait(deadline, edges).status, EdgeStatus::gone) << "more edges than there is room";
  const auto broken = opened(9);
  EXPECT_EQ(broken->what(), "a beat; the drum is broken") << "asked again, it may say why it is gone";
  (void)broken->wait(deadline, edges);
  tactus::test::Snapshot().add(broken->what());
  (void)opened(1);
  EXPECT_EQ(clock.resolved().find("edges")->text(), "1");
  EXPECT_EQ(clock.facts({}).at(0).grade, rtsync::Grade::ok);
  g_open = Does::throws;
  EXPECT_THROW((void)clock.open({}), executive::DeviceError);
  EXPECT_EQ(clock.facts({}).at(0).name, "driver beat") << "facts throw nothing";
}

}  // namespace
}  // namespace tactus::test::sdk_driver_test
