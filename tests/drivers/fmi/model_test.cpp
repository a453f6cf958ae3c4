// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "drivers/fmi/abi/fmi2.hpp"
#include "drivers/fmi/abi/fmi3.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::fmi::model_test {
namespace {

using test::OneUnit;
using test::refusal_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Functions of a library, without the driver.
class Library {
 public:
  explicit Library(const std::string& file) : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
  }
  ~Library() { (void)::dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  template <class F>
  F* find(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;
};

void log_nothing(void*, const char*, abi2::Status, const char*, const char*, ...) {}

TEST(FmiModel, GivesTheBitsOfAPlainLoopOver20) {
  const Library library(std::string(FMI_UNITS) + "/two/binaries/" TWO_PLATFORM "/two.so");
  const abi2::Callbacks callbacks{&log_nothing, &std::calloc, &std::free, nullptr, nullptr};
  void* const plain = library.find<abi2::Instantiate>("fmi2Instantiate")("p", abi2::kCoSimulation, "{two}",
                                                                         "file:///", &callbacks, 0, 0);
  ASSERT_NE(plain, nullptr);
  const auto set = library.find<abi2::Set<double>>("fmi2SetReal");
  const auto get = library.find<abi2::Get<double>>("fmi2GetReal");
  const abi2::Reference k = 4, inputs[] = {1, 7}, outputs[] = {2, 5, 6, 8};
  const double damping = 0.7;
  (void)set(plain, &k, 1, &damping);
  (void)library.find<abi2::SetupExperiment>("fmi2SetupExperiment")(plain, 0, 0, 0, 0, 0);
  (void)library.find<abi2::Plain>("fmi2EnterInitializationMode")(plain);
  (void)library.find<abi2::Plain>("fmi2ExitInitializationMode")(plain);

  OneUnit unit("two", "", 0.01);
  unit.value<double>("k") = damping;
  unit.start();
  for (int i = 0; i < 1000; ++i) {
    const double u = std::sin(i * 0.1), speed = 100.0 * i;
    const double values[] = {u, speed};
    ASSERT_EQ(set(plain, inputs, 2, values), abi2::kOk);
    ASSERT_EQ(library.find<abi2::DoStep>("fmi2DoStep")(plain, i * 0.01, 0.01, 1), abi2::kOk);
    double expected[4];
    (void)get(plain, outputs, 4, expected);
    unit.value<double>("u") = u;
    unit.value<double>("speed") = speed;
    ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    ASSERT_EQ(unit.value<double>("y"), expected[0]);
    ASSERT_EQ(unit.value<double>("x"), expected[1]);
    ASSERT_EQ(unit.value<double>("temp_1"), expected[2]);
    ASSERT_EQ(unit.value<double>("omega"), expected[3]);
  }
  library.find<abi2::FreeInstance>("fmi2FreeInstance")(plain);
}

TEST(FmiModel, GivesTheBitsOfAPlainLoopOver30) {
  const Library library(std::string(FMI_UNITS) + "/three/binaries/" THREE_PLATFORM "/three.so");
  void* const plain = library.find<abi3::InstantiateCoSimulation>("fmi3InstantiateCoSimulation")(
      "p", "{three}", nullptr, false, false, false, false, nullptr, 0, nullptr,
      [](void*, abi3::Status, const char*, const char*) {}, nullptr);
  ASSERT_NE(plain, nullptr);
  (void)library.find<abi3::EnterInitialization>("fmi3EnterInitializationMode")(plain, false, 0, 0, false, 0);
  (void)library.find<abi3::Plain>("fmi3ExitInitializationMode")(plain);
  OneUnit unit("three", "", 0.003);
  unit.start();
  const abi3::Reference x = 6;
  for (int i = 0; i < 1000; ++i) {
    bool event, end, early;
    double last, expected;
    ASSERT_EQ(
        library.find<abi3::DoStep>("fmi3DoStep")(plain, i * 0.003, 0.003, true, &event, &end, &early, &last),
        abi3::kOk);
    (void)library.find<abi3::Get<double>>("fmi3GetFloat64")(plain, &x, 1, &expected, 1);
    ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    ASSERT_EQ(unit.value<double>("x"), expected);
  }
  library.find<abi3::FreeInstance>("fmi3FreeInstance")(plain);
}

TEST(FmiModel, PassesAllTypesOf20) {
  OneUnit unit("two", "texts: { name: engine }\nlocals: [let*]");
  unit.value<double>("gain") = 3;
  unit.start();
  EXPECT_EQ(unit.value<double>("temp_1"), 21) << "outputs of initialization are there in the first frame";
  unit.value<double>("u") = 2;
  unit.value<std::int32_t>("n") = -7;
  unit.value<std::int32_t>("gear") = 7;
  unit.value<bool>("b") = true;
  ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  EXPECT_EQ(unit.value<double>("y"), 6);
  EXPECT_EQ(unit.value<std::int32_t>("n_out"), -7);
  EXPECT_EQ(unit.value<std::int32_t>("gear_out"), 7);
  EXPECT_TRUE(unit.value<bool>("b_out"));
  EXPECT_EQ(unit.value<std::int32_t>("letters"), 6) << "the text was set";
  EXPECT_EQ(unit.variable("gear_out").labels[1].name, "drive");
  unit.value<double>("gain") = 4;  // tunable: at any time
  ASSERT_EQ(unit.run("step"), 0);
  EXPECT_EQ(unit.value<double>("y"), 8);
  EXPECT_EQ(unit.value<std::int64_t>("unit_steps"), 2);
}

TEST(FmiModel, PassesAllTypesOf30) {
  OneUnit unit("three", "texts: { name: engine, blob: '00ff10' }", 0.1, "size: 3");
  EXPECT_EQ(unit.variable("u").count, 3U);
  unit.start();
  EXPECT_EQ(unit.value<double>("texts"), 3006) << "six letters and three bytes";
  const auto pass = [&](const char* name, auto sent) {
    unit.value<decltype(sent)>(name) = sent;
    if (unit.run("step") != 0) ADD_FAILURE() << unit.failure();
    EXPECT_EQ(unit.value<decltype(sent)>(std::string(name) + "_out"), sent) << name;
  };
  pass("float32", 1.25F);
  pass("float64", -0.1);
  pass("int8", std::int8_t{-100});
  pass("uint8", std::uint8_t{200});
  pass("int16", std::int16_t{-30000});
  pass("uint16", std::uint16_t{60000});
  pass("int32", std::int32_t{-2000000000});
  pass("uint32", std::uint32_t{4000000000});
  pass("int64", std::int64_t{-9000000000000000000});
  pass("uint64", std::uint64_t{18000000000000000000U});
  pass("gear", std::int64_t{7});
  pass("b", true);
  double* const u = &unit.value<double>("u");
  u[0] = 1, u[1] = 2, u[2] = 3;
  ASSERT_EQ(unit.run("step"), 0);
  const double* const y = &unit.value<double>("y");
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[2], 6);
}

TEST(FmiModel, HasUnitsOfTheRig) {
  OneUnit unit("two");
  EXPECT_EQ(unit.variable("y").unit_text, "N m");
  EXPECT_EQ(unit.variable("temp_1").unit_text, "degC");
  EXPECT_EQ(unit.variable("omega").unit_text, "rad/s");
  EXPECT_EQ(unit.variable("speed").unit_text, "rev/min");
  EXPECT_EQ(unit.variable("length").unit_text, "m") << "the rig has no ell";
  EXPECT_EQ(unit.variable("temp_1").about, "temp[1]");
  EXPECT_EQ(unit.variable("y").about, "gain times u");
  unit.start();
  unit.value<double>("length") = 5;  // m: 10 ells
  ASSERT_EQ(unit.run("step"), 0);
  EXPECT_EQ(unit.value<double>("length_out"), 5);
}

TEST(FmiModel, StartsOutputsWhereTheStandardAllowsIt) {
  tactus::test::Snapshot texts;
  for (const char* const name : {"two", "three"}) {
    OneUnit unit(name, "start: { x: 4 }");
    unit.start();
    EXPECT_EQ(unit.value<double>("x"), 4) << name;
    ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    EXPECT_EQ(unit.value<double>("x"), 4 - 0.1 * 4);
    ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
    EXPECT_EQ(unit.value<double>("x"), 4) << "again after a reset";
    texts.add(refusal_of(name, "start: { x: fast }"));
    texts.add(refusal_of(name, "start: { k: 2 }"));
    texts.add(refusal_of(name, "start: { y: 2 }"));
    texts.add(refusal_of(name, "start: { nothing: 2 }"));
  }
}

TEST(FmiModel, RolesFollowCausality) {
  OneUnit unit("two");
  EXPECT_EQ(unit.variable("k").role, TACTUS_PARAMETER);
  EXPECT_EQ(unit.variable("gain").role, TACTUS_INPUT) << "tunable: it can be set while the rig runs";
  EXPECT_EQ(unit.variable("u").role, TACTUS_INPUT);
  EXPECT_EQ(unit.variable("y").role, TACTUS_OUTPUT);
  EXPECT_EQ(unit.instance().find_variable("letters"), nullptr)
      << "local variables are there if they are asked for";
  EXPECT_EQ(unit.instance().restart_refusal(), "");
}

TEST(FmiModel, SaysOnceThatAUnitLags) {
  for (const char* const name : {"lagging2", "lagging3"}) {
    OneUnit unit(name, "", 0.25);
    unit.start();
    for (int i = 0; i < 4; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    const auto messages = unit.messages();
    EXPECT_EQ(std::count_if(messages.begin(), messages.end(),
                            [](const std::string& text) {
                              return text.find("a step to 0.25 s, and has reached 0.2 s") !=
                                     std::string::npos;
                            }),
              1)
        << name;
    EXPECT_NEAR(unit.value<double>("unit_lag"), 0, 1e-9) << "at 1 s it is there";
    EXPECT_EQ(unit.value<double>("unit_time"), 1);
  }
  OneUnit fits("lagging2", "", 0.1);
  fits.start();
  for (int i = 0; i < 30; ++i) ASSERT_EQ(fits.run("step"), 0);
  EXPECT_THAT(fits.messages(), IsEmpty());
}

TEST(FmiModel, RefusesACycleThatDoesNotFitAFixedStep) {
  tactus::test::Snapshot texts;
  OneUnit unit("fixed3");
  const auto refusal = [&](std::int64_t ns, std::int64_t den = 1) -> std::string {
    try {
      unit.model().planned("step", rtsync::Period{ns, den});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(20'000'000), "");
  EXPECT_EQ(refusal(60'000'000), "");
  texts.add(refusal(50'000'000));
  texts.add(refusal(1'000'000));
  texts.add(refusal(1'000'000'000, 60));
  OneUnit trusting("fixed3", "ignore_fixed_step: yes");
  EXPECT_NO_THROW(trusting.model().planned("step", rtsync::Period{1'000'000, 1}));
  OneUnit unplanned("fixed3", "", 0.05);
  unplanned.open();
  ASSERT_EQ(unplanned.run("initialize"), 0);
  EXPECT_EQ(unplanned.run("step"), 1) << "a model in a process of its own learns its cycle there";
  EXPECT_THAT(unplanned.failure(), HasSubstr("not a multiple"));
}

/// Modes of the units of the tests.
enum Mode : std::int32_t {
  kDiscard = 1,
  kError = 2,
  kFatal = 3,
  kNan = 4,
  kEnd = 5,
  kLogsMuch = 6,
  kWarns = 7,
  kFailsInit = 8,
  kPending = 9
};

class FmiFault : public testing::TestWithParam<const char*> {};

TEST_P(FmiFault, EndsTheRigWithTheReason) {
  const struct {
    Mode mode;
    const char* says;
  } rows[] = {{kDiscard, "the unit answers Discard to DoStep at 0.4 s"},
              {kError, "the unit answers Error to DoStep at 0.4 s: the solver gave up"},
              {kFatal, "the unit answers Fatal to DoStep at 0.4 s"}};
  for (const auto& row : rows) {
    OneUnit unit(GetParam());
    unit.value<std::int32_t>("mode") = row.mode;
    unit.start();
    for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    EXPECT_EQ(unit.run("step"), 1);
    EXPECT_THAT(unit.failure(), HasSubstr(row.says));
  }
}

TEST_P(FmiFault, HoldsOutputsIfItIsTold) {
  for (const Mode mode : {kDiscard, kError, kFatal}) {
    OneUnit unit(GetParam(), "on_discard: hold\non_error: hold");
    unit.value<std::int32_t>("mode") = mode;
    unit.start();
    for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("step"), 0);
    const double x = unit.value<double>("x");
    for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    EXPECT_EQ(unit.value<double>("x"), x);
    EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 1) << "held";
    EXPECT_THAT(unit.messages(), Contains(HasSubstr("outputs stay as they are")));
    if (mode == kFatal) {
      EXPECT_EQ(unit.run("initialize"), 1);
      EXPECT_THAT(unit.failure(), HasSubstr("must not be called again"));
    } else {
      unit.value<std::int32_t>("mode") = 0;
      EXPECT_EQ(unit.run("initialize"), 0) << "a reset";
      EXPECT_EQ(unit.run("step"), 0);
      EXPECT_EQ(unit.run("step"), 0);
      EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 0);
      EXPECT_EQ(unit.value<double>("x"), 0.9);
    }
  }
}

TEST_P(FmiFault, EndsWhenTheUnitAsksForIt) {
  OneUnit unit(GetParam());
  unit.value<std::int32_t>("mode") = kEnd;
  unit.start();
  for (int i = 0; i < 6; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 2) << "ended";
  EXPECT_EQ(unit.value<std::int64_t>("unit_steps"), 4);
  EXPECT_THAT(unit.messages(), Contains(HasSubstr("asks for the end")));
}

TEST_P(FmiFault, GivesWhatIsNoNumberToTheGuard) {
  OneUnit unit(GetParam());
  unit.value<std::int32_t>("mode") = kNan;
  unit.start();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("step"), 0);
  const bool two = std::string(GetParam()) == "two";
  EXPECT_TRUE(std::isnan(unit.value<double>(two ? "y" : "x"))) << "the rig's guard ends the frame for it";
}

TEST_P(FmiFault, InEachCallLeadsToWhatWasDeclared) {
  constexpr int kSet = 100, kGet = 200, kTerminate = 300, kEnter = 400, kExit = 500, kGetState = 600,
                kSetState = 700;
  const std::pair<int, const char*> statuses[] = {{2, "Discard"}, {3, "Error"}, {4, "Fatal"}};
  for (const auto& [code, word] : statuses) {
    const int status = code;
    const std::string name = word;
    const std::string answers = "the unit answers " + name + " to ";
    const auto unit_with = [&](int call, const std::string& keys) {
      auto unit = std::make_unique<OneUnit>(GetParam(), keys);
      unit->value<std::int32_t>("mode") = call + status;
      unit->open();
      return unit;
    };
    for (const auto& [call, says] :
         {std::pair{kEnter, "EnterInitializationMode"}, {kExit, "ExitInitializationMode"}}) {
      const auto unit = unit_with(call, "on_error: hold\non_discard: hold");
      EXPECT_EQ(unit->run("initialize"), 1) << "there is nothing to hold yet";
      EXPECT_THAT(unit->failure(), HasSubstr(answers + says));
    }
    for (const auto& [call, says] : {std::pair{kSet, "Set of"}, {kGet, "Get of outputs"}})
      for (const bool hold : {false, true}) {
        const auto unit = unit_with(call, hold ? "on_error: hold" : "");
        ASSERT_EQ(unit->run("initialize"), 0) << unit->failure();
        int steps = 0;
        while (steps < 8 && unit->run("step") == 0) ++steps;
        EXPECT_EQ(steps < 8, !hold) << name << " " << says;
        if (hold)
          EXPECT_EQ(unit->value<std::int32_t>("unit_status"), 1);
        else
          EXPECT_THAT(unit->failure(), HasSubstr(answers + says));
      }
    const auto ends = unit_with(kTerminate, "");
    ASSERT_EQ(ends->run("initialize"), 0);
    EXPECT_EQ(ends->run("end"), 0) << "its work is done";
    EXPECT_THAT(ends->messages(), Contains(HasSubstr("answers " + name + " to Terminate")));
    const auto saves = unit_with(kGetState, "");
    ASSERT_EQ(saves->run("initialize"), 0);
    EXPECT_EQ(saves->run("save"), 1);
    EXPECT_THAT(saves->failure(), HasSubstr("refuses to serialize its state"));
    const auto loads = unit_with(kSetState, "");
    ASSERT_EQ(loads->run("initialize"), 0);
    ASSERT_EQ(loads->run("save"), 0) << loads->failure();
    EXPECT_EQ(loads->run("restore"), 1);
    EXPECT_THAT(loads->failure(), HasSubstr(answers + "SetState"));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, FmiFault, testing::Values("two", "three"),
                         [](const auto& info) { return std::string(info.param); });

TEST(FmiModel, SaysWhyInitializationFails) {
  OneUnit unit("two");
  unit.value<std::int32_t>("mode") = kFailsInit;
  unit.open();
  EXPECT_EQ(unit.run("initialize"), 1);
  tactus::test::Snapshot().add(unit.failure());
}

TEST(FmiModel, RefusesAnAsynchronousStep) {
  OneUnit unit("two", "on_error: hold");
  unit.value<std::int32_t>("mode") = kPending;
  unit.start();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("step"), 0);
  EXPECT_EQ(unit.run("step"), 1);
  EXPECT_THAT(unit.failure(), HasSubstr("asynchronous"));
}

TEST(FmiModel, LogsWithoutTheHeap) {
  OneUnit unit("two");
  unit.value<std::int32_t>("mode") = kLogsMuch;
  unit.start();
  (void)unit.messages();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("step"), 0);
  const rtsync::HeapWatch heap;
  ASSERT_EQ(unit.run("step"), 0);
  EXPECT_EQ(heap.calls(), 0U);
  const auto messages = unit.messages();
  ASSERT_EQ(messages.size(), 257U);
  EXPECT_EQ(messages.front(), "[logAll] line 0");
  tactus::test::Snapshot().add(messages.back());
}

TEST(FmiModel, PassesWarningsOn) {
  OneUnit unit("two");
  unit.value<std::int32_t>("mode") = kWarns;
  unit.start();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(unit.run("step"), 0);
  EXPECT_THAT(unit.messages(), Contains("W [logWarning] step 3"));
}

TEST(FmiModel, ComesBackFromACheckpointWithTheSameBits) {
  for (const char* const name : {"two", "three"}) {
    OneUnit unit(name);
    unit.start();
    for (int i = 0; i < 5; ++i) ASSERT_EQ(unit.run("step"), 0);
    ASSERT_EQ(unit.run("save"), 0) << unit.failure();
    const auto image = unit.image();
    std::vector<double> seen;
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(unit.run("step"), 0);
      seen.push_back(unit.value<double>("x"));
    }
    unit.put(image);
    ASSERT_EQ(unit.run("restore"), 0) << unit.failure();
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(unit.run("step"), 0) << unit.failure();
      EXPECT_EQ(unit.value<double>("x"), seen[static_cast<std::size_t>(i)]);
    }
    OneUnit other(name);  // of another process, which has just been initialized
    other.start();
    other.put(image);
    ASSERT_EQ(other.run("restore"), 0) << other.failure();
    ASSERT_EQ(other.run("step"), 0) << other.failure();
    EXPECT_EQ(other.value<double>("x"), seen[0]);
  }
}

TEST(FmiModel, SaysThatItCannotRestart) {
  OneUnit unit("stateless2");
  tactus::test::Snapshot().add(unit.instance().restart_refusal());
  unit.start();
  EXPECT_EQ(unit.run("step"), 0);
}

TEST(FmiModel, RefusesWhatCannotRun) {
  tactus::test::Snapshot texts;
  EXPECT_THAT(refusal_of("tool2"), HasSubstr("needsExecutionTool"));
  EXPECT_THAT(refusal_of("/nowhere/x.fmu"), HasSubstr("models.unit.unit: cannot open /nowhere/x.fmu"));
  texts.add(refusal_of("two", "texts: { nam: x }"));
  texts.add(refusal_of("two", "locals: [lettres]"));
  texts.add(refusal_of("three", "structure: { size: 3 }"));
  texts.add(refusal_of("three", "", "name: engine"));
  texts.add(refusal_of("three", "", "size: 9"));
  texts.add(refusal_of("three", "texts: { blob: abc }"));
}

TEST(FmiModel, HasAUnitOncePerProcessIfItSaysSo) {
  const auto first = std::make_unique<OneUnit>("once2");
  tactus::test::Snapshot().add(refusal_of("once2"));
}

TEST(FmiModel, IsFreeAgainWhenItIsGone) {
  { OneUnit one("once2"); }
  EXPECT_EQ(refusal_of("once2"), "");
}

/// Has a folder of its own for what is unpacked: in the one of all, other programs unpack units, too.
TEST(FmiModel, LeavesNothingBehind) {
  const test::TempDir folder;
  const char* const found = std::getenv("TMPDIR");
  const std::optional<std::string> before =
      found == nullptr ? std::nullopt : std::optional<std::string>(found);
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  const auto left = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()),
                         std::filesystem::directory_iterator{});
  };
  {
    OneUnit unit("two");
    unit.start();
    EXPECT_EQ(left(), 1);
  }
  EXPECT_EQ(left(), 0);
  if (before)
    ::setenv("TMPDIR", before->c_str(), 1);
  else
    ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace tactus::drivers::fmi::model_test
