// SPDX-License-Identifier: Apache-2.0
#include "executive/model/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::connection_test {
namespace {

using rtsync::Period;
using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A variable in the open.
struct Wire {
  Variable variable;
  Wire(tactus_role role, tactus_type type, void* data, std::uint32_t count = 0, const char* unit = "") {
    variable.name = role == TACTUS_INPUT ? "b.in" : "a.out";
    variable.role = role;
    variable.type = type;
    variable.data = data;
    variable.count = count;
    variable.unit_text = unit;
    variable.unit = config::Unit::parse(unit);
  }
  VariableRef whole() const {
    return {&variable, 0, static_cast<std::uint32_t>(variable.elements()), false, nullptr};
  }
  VariableRef element(std::uint32_t i) const { return {&variable, i, 1, true, nullptr}; }
};

template <class T>
tactus_type type_of() {
  return tactus::detail::type_of<T>();
}

/// Sends one value through a wire.
template <class From, class To>
To sent(From value, std::optional<double> scale = {}, std::optional<double> offset = {}) {
  To result{};
  const Wire from(TACTUS_OUTPUT, type_of<From>(), &value);
  const Wire to(TACTUS_INPUT, type_of<To>(), &result);
  const Connection connection{from.whole(), to.whole(), false, scale, offset};
  EXPECT_EQ(validate(connection), std::nullopt);
  CopyList list;
  EXPECT_TRUE(list.empty());
  list.add(connection);
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(CopyList::run(&list, nullptr), 0);
  return result;
}

template <class... T>
struct List {};
using Types = List<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, float, double>;

/// Whether To holds every value of From, by looking at the extreme ones.
template <class From, class To>
constexpr bool holds() {
  if (std::is_same_v<From, To>) return true;
  if (std::is_same_v<From, bool> || std::is_same_v<To, bool>) return false;
  if (std::is_floating_point_v<From>) return std::is_same_v<From, float> && std::is_same_v<To, double>;
  if (std::is_floating_point_v<To>)
    return sizeof(From) < sizeof(To) && (sizeof(From) <= 2 || sizeof(To) == 8);
  if (std::is_signed_v<From>) return std::is_signed_v<To> && sizeof(From) <= sizeof(To);
  return std::is_signed_v<To> ? sizeof(From) < sizeof(To) : sizeof(From) <= sizeof(To);
}

template <class From, class To>
void check_pair() {
  From a{};
  To b{};
  const Wire from(TACTUS_OUTPUT, type_of<From>(), &a);
  const Wire to(TACTUS_INPUT, type_of<To>(), &b);
  const auto reason = validate({from.whole(), to.whole(), false, {}, {}});
  EXPECT_EQ(!reason.has_value(), (holds<From, To>()))
      << name_of(from.variable.type) << " to " << name_of(to.variable.type);
  if (reason) {
    EXPECT_EQ(*reason, "'a.out' is " + std::string(name_of(from.variable.type)) + ", 'b.in' is " +
                           std::string(name_of(to.variable.type)) +
                           ", which cannot hold all its values; change the type of one");
    return;
  }
  for (const From value :
       {std::numeric_limits<From>::lowest(), std::numeric_limits<From>::max(), From{1}, From{}})
    EXPECT_EQ((sent<From, To>(value)), static_cast<To>(value))
        << name_of(from.variable.type) << " to " << name_of(to.variable.type);
}
template <class From, class... To>
void check_all_from(List<To...>) {
  (check_pair<From, To>(), ...);
}
template <class... From>
void check_all(List<From...> all) {
  (check_all_from<From>(all), ...);
}

TEST(Connection, AllowsExactlyTheTypesThatHoldEveryValueAndKeepsThem) { check_all(Types{}); }

TEST(Connection, KeepsEveryBit) {
  EXPECT_TRUE(std::signbit(sent<double, double>(-0.0)));
  EXPECT_TRUE(std::signbit(sent<float, double>(-0.0F)));
  EXPECT_TRUE(std::isnan(sent<float, double>(std::numeric_limits<float>::quiet_NaN())));
  const auto odd =
      std::bit_cast<double>(std::uint64_t{0x7ff4000000000123});  // a signalling NaN with a payload
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sent<double, double>(odd)), 0x7ff4000000000123U);
  EXPECT_EQ((sent<float, double>(0.1F)), static_cast<double>(0.1F));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ((sent<double, double>(least)), least);
}

TEST(Connection, ScalesAndShifts) {
  EXPECT_EQ((sent<double, double>(2, 3.5, {})), 7.0);
  EXPECT_EQ((sent<double, double>(2, {}, 1.0)), 3.0);
  EXPECT_EQ((sent<double, double>(2, 10.0, -5.0)), 15.0);
  EXPECT_EQ((sent<std::int32_t, double>(-4, 0.25, 1.0)), 0.0);
  EXPECT_EQ((sent<std::uint64_t, float>(3, 0.5, {})), 1.5F);
  EXPECT_EQ((sent<double, float>(0.5, 2.0, {})), 1.0F);
}

TEST(Connection, CopiesArraysAndElements) {
  std::int16_t source[4] = {1, 2, 3, 4};
  double target[4] = {-1, -1, -1, -1};
  const Wire from(TACTUS_STATE, TACTUS_INT16, source, 4);
  const Wire to(TACTUS_INPUT, TACTUS_DOUBLE, target, 4);
  CopyList whole;
  whole.add({from.whole(), to.whole(), false, {}, {}});
  (void)CopyList::run(&whole, nullptr);
  EXPECT_THAT(target, ElementsAre(1, 2, 3, 4));
  CopyList element;
  element.add({from.element(3), to.element(1), false, {}, {}});
  element.add({from.element(0), to.element(2), false, 100.0, {}});
  (void)CopyList::run(&element, nullptr);
  EXPECT_THAT(target, ElementsAre(1, 4, 100, 4));
  EXPECT_EQ(from.element(3).name(), "a.out[3]");
  EXPECT_EQ(from.whole().name(), "a.out");
}

TEST(Connection, CopiesArraysOfOneTypeOfEverySize) {
  for (const std::uint32_t count : {1U, 3U, 7U, 8U, 9U, 16U, 100U}) {
    std::vector<std::uint8_t> source(count);
    std::vector<std::uint8_t> target(count + 1, 200);
    for (std::uint32_t i = 0; i < count; ++i) source[i] = static_cast<std::uint8_t>(i + 1);
    const Wire from(TACTUS_OUTPUT, TACTUS_UINT8, source.data(), count);
    const Wire to(TACTUS_INPUT, TACTUS_UINT8, target.data(), count);
    CopyList list;
    list.add({from.whole(), to.whole(), false, {}, {}});
    (void)CopyList::run(&list, nullptr);
    EXPECT_TRUE(std::equal(source.begin(), source.end(), target.begin())) << count;
    EXPECT_EQ(target.back(), 200) << "wrote beyond the end";
  }
}

TEST(Connection, SaysWhatDoesNotFit) {
  double a[3] = {};
  double b[3] = {};
  struct Row {
    Wire from;
    Wire to;
    std::optional<double> scale;
    const char* expected;
  };
  const Row rows[] = {
      {{TACTUS_INPUT, TACTUS_DOUBLE, a},
       {TACTUS_INPUT, TACTUS_DOUBLE, b},
       {},
       "'b.in' is an input; a connection starts"},
      {{TACTUS_PARAMETER, TACTUS_DOUBLE, a}, {TACTUS_INPUT, TACTUS_DOUBLE, b}, {}, "'a.out' is a parameter"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a},
       {TACTUS_OUTPUT, TACTUS_DOUBLE, b},
       {},
       "'a.out' is an output; a connection ends"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a},
       {TACTUS_STATE, TACTUS_DOUBLE, b},
       {},
       "is a state; a connection ends at an input"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a, 3},
       {TACTUS_INPUT, TACTUS_DOUBLE, b, 2},
       {},
       "'a.out' is double[3], 'b.in' is double[2]: the sizes differ; connect single elements with [i]"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a, 3}, {TACTUS_INPUT, TACTUS_DOUBLE, b}, {}, "the sizes differ"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a},
       {TACTUS_INPUT, TACTUS_INT32, b},
       1.0,
       "a float or double at 'b.in', which is int32"},
      {{TACTUS_OUTPUT, TACTUS_BOOL, a},
       {TACTUS_INPUT, TACTUS_DOUBLE, b},
       1.0,
       "scale and offset need numbers"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a, 0, "deg"},
       {TACTUS_INPUT, TACTUS_DOUBLE, b, 0, "rad"},
       {},
       "'a.out' is in 'deg', 'b.in' is in 'rad'; if that is meant, add scale: 0.017453292519943295"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a, 0, "degC"},
       {TACTUS_INPUT, TACTUS_DOUBLE, b, 0, "K"},
       {},
       "add scale: 1, offset: 273.14999999999998"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a, 0, "V"},
       {TACTUS_INPUT, TACTUS_DOUBLE, b, 0, "A"},
       {},
       "'a.out' is in 'V', 'b.in' is in 'A'; they measure different things: connect another variable"},
      {{TACTUS_OUTPUT, TACTUS_DOUBLE, a},
       {TACTUS_INPUT, TACTUS_DOUBLE, b, 0, "A"},
       {},
       "is in no unit, 'b.in' is in 'A'"},
  };
  for (const Row& row : rows) {
    const auto reason = validate({row.from.whole(), row.to.whole(), false, row.scale, {}});
    ASSERT_TRUE(reason.has_value()) << row.expected;
    EXPECT_THAT(*reason, HasSubstr(row.expected));
  }
  const Wire nm(TACTUS_OUTPUT, TACTUS_DOUBLE, a, 0, "N m");
  const Wire joule(TACTUS_INPUT, TACTUS_DOUBLE, b, 0, "J");
  EXPECT_EQ(validate({nm.whole(), joule.whole(), false, {}, {}}), std::nullopt);
  const Wire deg(TACTUS_OUTPUT, TACTUS_DOUBLE, a, 0, "deg");
  const Wire rad(TACTUS_INPUT, TACTUS_DOUBLE, b, 0, "rad");
  EXPECT_EQ(validate({deg.whole(), rad.whole(), false, 0.0174, {}}), std::nullopt);
}

TEST(Connection, TheScaleThatIsNamedConvertsTheUnit) {
  double degrees = 180;
  double radians = 0;
  const Wire from(TACTUS_OUTPUT, TACTUS_DOUBLE, &degrees, 0, "deg");
  const Wire to(TACTUS_INPUT, TACTUS_DOUBLE, &radians, 0, "rad");
  const std::string reason = validate({from.whole(), to.whole(), false, {}, {}}).value_or("");
  const double scale = std::stod(reason.substr(reason.find("scale: ") + 7));
  CopyList list;
  list.add({from.whole(), to.whole(), false, scale, {}});
  (void)CopyList::run(&list, nullptr);
  EXPECT_DOUBLE_EQ(radians, 3.14159265358979323846);
}

TEST(Connection, EnumerationsMustAgree) {
  std::int32_t a = 0;
  std::int32_t b = 0;
  Wire from(TACTUS_OUTPUT, TACTUS_INT32, &a);
  Wire to(TACTUS_INPUT, TACTUS_INT32, &b);
  from.variable.labels = {{"park", 0}, {"drive", 1}};
  EXPECT_EQ(validate({from.whole(), to.whole(), false, {}, {}}), std::nullopt) << "a plain integer takes any";
  to.variable.labels = from.variable.labels;
  EXPECT_EQ(validate({from.whole(), to.whole(), false, {}, {}}), std::nullopt);
  for (const std::vector<VariableLabel>& labels :
       {std::vector<VariableLabel>{{"park", 0}}, {{"park", 0}, {"drive", 2}}, {{"park", 0}, {"sport", 1}}}) {
    to.variable.labels = labels;
    EXPECT_THAT(validate({from.whole(), to.whole(), false, {}, {}}).value_or(""),
                HasSubstr("are enumerations"));
  }
}

// ---- when the copies are made

/// Counts its calls in `y` and writes down what it reads.
template <tactus_job_class Class>
class Node : public Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u);
    d.output("y", y);
    d.job<&Node::step>("step", static_cast<JobClass>(Class));
  }
  void step(const Call& call) {
    read.emplace_back(call.sim_time_ns / 1000, u);
    ++y;
  }
  double u = -1;
  double y = 0;
  std::vector<std::pair<std::int64_t, double>> read;
};
using Scheduled = Node<TACTUS_SCHEDULED>;

std::vector<double> values(const std::vector<std::pair<std::int64_t, double>>& read) {
  std::vector<double> result;
  for (const auto& [time, value] : read) result.push_back(value);
  return result;
}

TEST(ConnectionTime, DirectReadsWhatWasWrittenInTheSameInstant) {
  PlanFixture bench;
  auto& a = bench.model<Scheduled>("a");
  auto& b = bench.model<Scheduled>("b");
  bench.connect(bench.ref(a, "y"), bench.ref(b, "u"));
  (void)bench.run(4);
  EXPECT_THAT(values(PlanFixture::object<Scheduled>(b).read), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(PlanFixture::object<Scheduled>(a).read), ElementsAre(-1, -1, -1, -1))
      << "nobody feeds it";
}

TEST(ConnectionTime, DirectReadsTheFrameBeforeWhenTheSourceRunsLater) {
  PlanFixture bench;
  auto& b = bench.model<Scheduled>("b");
  auto& a = bench.model<Scheduled>("a");
  bench.connect(bench.ref(a, "y"), bench.ref(b, "u"));
  (void)bench.run(4);
  EXPECT_THAT(values(PlanFixture::object<Scheduled>(b).read), ElementsAre(0, 1, 2, 3));
}

TEST(ConnectionTime, DelayedReadsWhatStoodThereBeforeTheInstant) {
  for (const bool source_first : {true, false}) {
    PlanFixture bench;
    auto& first = bench.model<Scheduled>("first");
    auto& second = bench.model<Scheduled>("second");
    auto& a = source_first ? first : second;
    auto& b = source_first ? second : first;
    bench.connect(bench.ref(a, "y"), bench.ref(b, "u"), true);
    (void)bench.run(4);
    EXPECT_THAT(values(PlanFixture::object<Scheduled>(b).read), ElementsAre(0, 1, 2, 3)) << source_first;
  }
}

TEST(ConnectionTime, ALoopWithOneDelayedWireIsAFunctionOfThePlan) {
  PlanFixture bench;
  auto& a = bench.model<Scheduled>("a");
  auto& b = bench.model<Scheduled>("b");
  bench.connect(bench.ref(b, "y"), bench.ref(a, "u"), true);
  bench.connect(bench.ref(a, "y"), bench.ref(b, "u"));
  (void)bench.run(3);
  EXPECT_THAT(values(PlanFixture::object<Scheduled>(a).read), ElementsAre(0, 1, 2));
  EXPECT_THAT(values(PlanFixture::object<Scheduled>(b).read), ElementsAre(1, 2, 3));
}

TEST(ConnectionTime, SubFrameJobsReadAtTheirOwnInstants) {
  PlanFixture bench;
  auto& plant = bench.model<Scheduled>("plant");
  auto& control = bench.model<Node<TACTUS_CONTROLLER>>("control");
  auto& slow = bench.model<Scheduled>("slow");
  bench.plan.jobs[0].cycle = Period{250'000, 1};
  bench.plan.jobs[1].cycle = Period{500'000, 1};
  bench.connect(bench.ref(plant, "y"), bench.ref(control, "u"));
  bench.connect(bench.ref(control, "y"), bench.ref(plant, "u"), true);
  bench.connect(bench.ref(plant, "y"), bench.ref(slow, "u"), true);
  (void)bench.run(2);
  using Read = std::pair<std::int64_t, double>;
  EXPECT_THAT(PlanFixture::object<Node<TACTUS_CONTROLLER>>(control).read,
              ElementsAre(Read{0, 1}, Read{500, 3}, Read{1000, 5}, Read{1500, 7}));
  EXPECT_THAT(PlanFixture::object<Scheduled>(plant).read,
              ElementsAre(Read{0, 0}, Read{250, 1}, Read{500, 1}, Read{750, 2}, Read{1000, 2}, Read{1250, 3},
                          Read{1500, 3}, Read{1750, 4}));
  EXPECT_THAT(PlanFixture::object<Scheduled>(slow).read, ElementsAre(Read{0, 0}, Read{1000, 4}));
}

TEST(ConnectionTime, DelayedReachesEveryJobOfAModelAtItsOwnInstants) {
  class TwoRates : public Model {
   public:
    void declare(Declare& d) override {
      d.input("u", u);
      d.job<&TwoRates::fast>("fast", JobClass::scheduled, every(std::chrono::microseconds(500)));
      d.job<&TwoRates::slow>("slow", JobClass::effector);
    }
    void fast() { seen.push_back(u); }
    void slow() { seen.push_back(100 + u); }
    double u = -1;
    std::vector<double> seen;
  };
  PlanFixture bench;
  auto& source = bench.model<Scheduled>("source");
  bench.plan.jobs[0].cycle = Period{500'000, 1};
  auto& sink = bench.model<TwoRates>("sink");
  bench.connect(bench.ref(source, "y"), bench.ref(sink, "u"), true);
  (void)bench.run(2);
  EXPECT_THAT(PlanFixture::object<TwoRates>(sink).seen, ElementsAre(0, 100, 1, 2, 102, 3));
}

TEST(ConnectionTime, HoldsInListsOfFrameJobsToo) {
  for (const bool delayed : {false, true}) {
    PlanFixture bench;
    auto& a = bench.model<Node<TACTUS_END_OF_FRAME>>("a");
    auto& b = bench.model<Node<TACTUS_END_OF_FRAME>>("b");
    auto& c = bench.model<Node<TACTUS_TOP_OF_FRAME>>("c");
    auto& d = bench.model<Node<TACTUS_TOP_OF_FRAME>>("d");
    bench.connect(bench.ref(a, "y"), bench.ref(b, "u"), delayed);
    bench.connect(bench.ref(c, "y"), bench.ref(d, "u"), delayed);
    (void)bench.run(3);
    const std::vector<double> expected =
        delayed ? std::vector<double>{0, 1, 2} : std::vector<double>{1, 2, 3};
    EXPECT_EQ(values(PlanFixture::object<Node<TACTUS_END_OF_FRAME>>(b).read), expected) << delayed;
    EXPECT_EQ(values(PlanFixture::object<Node<TACTUS_TOP_OF_FRAME>>(d).read), expected) << delayed;
  }
}

TEST(ConnectionTime, AJobThatIsOffReadsNothing) {
  PlanFixture bench;
  auto& a = bench.model<Scheduled>("a");
  auto& b = bench.model<Scheduled>("b");
  bench.connect(bench.ref(a, "y"), bench.ref(b, "u"));
  bench.plan.jobs[1].enabled = false;
  (void)bench.run(3);
  EXPECT_EQ(PlanFixture::object<Scheduled>(b).u, -1) << "as it was";
  EXPECT_TRUE(PlanFixture::object<Scheduled>(b).read.empty());
}

TEST(ConnectionTime, TheExecutivesOwnVariablesCanFeedAModel) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  auto& b = bench.model<Scheduled>("b");
  Variable work;
  work.name = "rt.overrun";
  work.role = TACTUS_OUTPUT;
  work.type = TACTUS_INT32;
  work.data = &bench.rt.overrun;
  bench.connect({&work, 0, 1, false, nullptr}, bench.ref(b, "u"));
  bench.job("slow", TACTUS_EFFECTOR, [&](const tactus_call& call) {
    if (call.frame == 1) bench.clock.advance(rtsync::Nanoseconds{1'500'000});
    return 0;
  });
  (void)bench.run(4);
  EXPECT_THAT(values(PlanFixture::object<Scheduled>(b).read), ElementsAre(0, 0, 1, 0));
}

}  // namespace
}  // namespace tactus::executive::connection_test
