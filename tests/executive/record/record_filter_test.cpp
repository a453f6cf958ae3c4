// SPDX-License-Identifier: Apache-2.0
/// Which of the records that frames take are written: on change, around a trigger, decimated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "executive/record/record_changes.hpp"
#include "executive/record/record_decimation.hpp"
#include "executive/record/record_trigger.hpp"

namespace tactus::executive::record_filter_test {
namespace {

using rtsync::Nanoseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A time, a double, and what is only watched: an int32.
struct Made {
  std::int64_t time;
  double x;
  std::int32_t watched = 0;

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> made(20);
    std::memcpy(made.data(), &time, 8);
    std::memcpy(made.data() + 8, &x, 8);
    std::memcpy(made.data() + 16, &watched, 4);
    return made;
  }
};

const std::vector<RecordColumn> kColumns{{"m.x", "V", TACTUS_DOUBLE, 8}};

class Kept final : public RecordTaker {
 public:
  explicit Kept(std::size_t columns = 1) : columns_(columns) {}
  void take(const std::byte* record) override {
    times.push_back(record_time(record));
    double x[2] = {0, 0};
    std::memcpy(x, record + 8, columns_ * sizeof(double));
    first.push_back(x[0]);
    second.push_back(x[1]);
  }
  std::vector<std::int64_t> times;
  std::vector<double> first, second;

 private:
  std::size_t columns_;
};

void feed(RecordFilter& filter, const std::vector<Made>& records) {
  for (const Made& record : records) {
    std::vector<std::byte> bytes = record.bytes();
    bytes.resize(64);
    filter.take(bytes.data());
  }
}

TEST(RecordChanges, LetsARecordPassWhenAColumnIsAnother) {
  RecordChanges filter;
  Kept kept;
  filter.lead_to(kept);
  EXPECT_EQ(filter.columns(kColumns).size(), 1U);
  feed(filter,
       {{0, 1.0, 1}, {1, 1.0, 2}, {2, 2.0}, {3, 2.0}, {4, -0.0}, {5, 0.0}, {6, kNan}, {7, kNan}, {8, 0.0}});
  EXPECT_THAT(kept.times, ElementsAre(0, 2, 4, 5, 6, 8)) << "bytes are compared, of the columns alone";
}

/// The names of conditions: "w", the watched value.
class Watched final : public config::ExpressionNames {
 public:
  explicit Watched(tactus_type type) : type_(type) {}
  std::optional<Found> find(const std::string&, std::string&) const override {
    Found found;
    found.type = cell_type(type_);
    return found;
  }

 private:
  tactus_type type_;
};

/// A condition on the watched value, of any type.
RecordCondition condition_of(const std::string& text, tactus_type type = TACTUS_INT32,
                             std::size_t offset = 16) {
  const Watched names(type);
  config::ExpressionBuilder builder(names, {.tick = {10, 1}, .equal_reals = true});
  std::vector<config::ExpressionProblem> problems;
  RecordCondition condition;
  condition.result = builder.add_condition(config::parse_expression(text), problems).value().cell;
  condition.program = builder.take();
  for (const config::ProgramInput& input : condition.program.inputs)
    condition.inputs.push_back({type, offset, input.cell});
  return condition;
}

std::vector<std::int64_t> triggered(const std::string& condition, std::int64_t before, std::int64_t after,
                                    const std::vector<Made>& records, std::size_t room = 100) {
  RecordTrigger filter(condition_of(condition), Nanoseconds(before), Nanoseconds(after), 20, room);
  Kept kept;
  filter.lead_to(kept);
  feed(filter, records);
  return kept.times;
}

std::vector<Made> line(std::int64_t end, const std::vector<std::int64_t>& high) {
  std::vector<Made> made;
  for (std::int64_t t = 0; t < end; ++t)
    made.push_back({t * 10, 0, std::find(high.begin(), high.end(), t) != high.end() ? 5 : 0});
  return made;
}

TEST(RecordTrigger, LetsPassWhatIsBeforeAndAfter) {
  const std::string above = "w > 4";
  EXPECT_THAT(triggered(above, 0, 0, line(9, {4})), ElementsAre(40));
  EXPECT_THAT(triggered(above, 20, 0, line(9, {4})), ElementsAre(20, 30, 40)) << "both ends belong to it";
  EXPECT_THAT(triggered(above, 19, 29, line(9, {4})), ElementsAre(30, 40, 50, 60));
  EXPECT_THAT(triggered(above, 0, 20, line(12, {4, 6})), ElementsAre(40, 50, 60, 70, 80)) << "prolonged";
  EXPECT_THAT(triggered(above, 30, 10, line(12, {3, 6})), ElementsAre(0, 10, 20, 30, 40, 50, 60, 70))
      << "none twice";
  EXPECT_THAT(triggered(above, 1000, 0, line(3, {2})), ElementsAre(0, 10, 20)) << "what there is";
  EXPECT_THAT(triggered(above, 1000, 0, line(9, {8}), 3), ElementsAre(50, 60, 70, 80))
      << "of a bounded memory";
  EXPECT_THAT(triggered(above, 1000, 1000, line(9, {})), IsEmpty());
}

TEST(RecordTrigger, AfterAResetWhatWaitedIsLeftOut) {
  const std::string above = "w > 4";
  EXPECT_THAT(
      triggered(above, 1000, 20, {{50, 0, 0}, {60, 0, 0}, {0, 0, 0}, {10, 0, 5}, {20, 0, 0}, {40, 0, 0}}),
      ElementsAre(0, 10, 20));
  EXPECT_THAT(triggered(above, 0, 1000, {{50, 0, 5}, {60, 0, 0}, {0, 0, 0}, {10, 0, 0}}),
              ElementsAre(50, 60));
}

TEST(RecordTrigger, AChangeIsAnEvent) {
  EXPECT_THAT(triggered("changes(w)", 0, 0, {{0, 0, 1}, {1, 0, 1}, {2, 0, 3}, {3, 0, 3}, {4, 0, 1}}),
              ElementsAre(2, 4));
}

TEST(RecordTrigger, AWindowOfTheConditionEndsAtAReset) {
  const std::string lasting = "w > 4 for 20 ns";
  EXPECT_THAT(triggered(lasting, 0, 0, {{0, 0, 5}, {10, 0, 5}, {20, 0, 5}}), ElementsAre(10, 20));
  EXPECT_THAT(triggered(lasting, 0, 0, {{10, 0, 5}, {0, 0, 5}, {10, 0, 5}}), ElementsAre(10));
}

TEST(RecordTrigger, HoldsForEachTypeAsItsValueDoes) {
  const auto holds = [](tactus_type type, auto value, const std::string& text) {
    RecordTrigger filter(condition_of(text, type, 8), Nanoseconds(0), Nanoseconds(0), 16, 1);
    Kept kept;
    filter.lead_to(kept);
    std::vector<std::byte> record(64);
    std::memcpy(record.data() + 8, &value, sizeof value);
    filter.take(record.data());
    return !kept.times.empty();
  };
  EXPECT_TRUE(holds(TACTUS_INT64, INT64_MAX, "w > 9223372036854775806"));
  EXPECT_FALSE(holds(TACTUS_INT64, INT64_MAX - 1, "w == 9223372036854775807"));
  EXPECT_TRUE(holds(TACTUS_UINT64, UINT64_MAX, "w == 18446744073709551615"));
  EXPECT_TRUE(holds(TACTUS_INT8, std::int8_t{-3}, "w < 0"));
  EXPECT_TRUE(holds(TACTUS_BOOL, std::uint8_t{7}, "w == 1")) << "a byte that is not 0 is yes";
  EXPECT_TRUE(holds(TACTUS_FLOAT, 0.5F, "w >= 0.5"));
  EXPECT_TRUE(holds(TACTUS_FLOAT, 0.5F, "w <= 0.5"));
  EXPECT_TRUE(holds(TACTUS_DOUBLE, 2.0, "w == 2")) << "an older condition";
  for (const char* const text : {"w > 1", "w >= 1", "w < 1", "w <= 1", "w == 1", "w != 1", "not w > 1"})
    EXPECT_FALSE(holds(TACTUS_DOUBLE, kNan, text)) << text;
}

TEST(RecordDecimation, KeepsTheSmallestAndTheLargestOfEachPiece) {
  RecordDecimation filter({10, 1}, RecordDecimation::Keep::min_max);
  Kept kept(2);
  filter.lead_to(kept);
  const std::vector<RecordColumn> columns = filter.columns(kColumns);
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].name, "m.x.min");
  EXPECT_EQ(columns[1].name, "m.x.max");
  EXPECT_EQ(columns[1].unit, "V");
  EXPECT_EQ(columns[1].offset, 16U);
  feed(filter, {{0, 1}, {4, 9}, {9, -2}, {10, 5}, {31, 1}, {35, kNan}, {39, 7}, {40, 3}});
  EXPECT_THAT(kept.times, ElementsAre(0, 10, 31));
  filter.end();
  EXPECT_THAT(kept.times, ElementsAre(0, 10, 31, 40)) << "the last piece, too";
  EXPECT_EQ(kept.first[0], -2);
  EXPECT_EQ(kept.second[0], 9);
  EXPECT_EQ(kept.first[1], 5);
  EXPECT_EQ(kept.second[1], 5);
  EXPECT_TRUE(std::isnan(kept.first[2]) && std::isnan(kept.second[2])) << "no NaN is hidden";
}

TEST(RecordDecimation, KeepsTheLastAndBeginsAnewAfterAReset) {
  RecordDecimation filter({10, 1}, RecordDecimation::Keep::last);
  Kept kept;
  filter.lead_to(kept);
  EXPECT_EQ(filter.columns(kColumns).size(), 1U);
  feed(filter, {{0, 1}, {5, 2}, {8, 3}, {2, 4}, {3, 5}, {17, 6}});
  filter.end();
  EXPECT_THAT(kept.times, ElementsAre(8, 3, 17));
  EXPECT_THAT(kept.first, ElementsAre(3, 5, 6));
}

TEST(RecordDecimation, PiecesThatAreFractionsDoNotDrift) {
  // Thirds of a microsecond: samples at floor(k * 1000 / 3) ns fall into one piece each.
  RecordDecimation filter({1000, 3}, RecordDecimation::Keep::last);
  Kept kept;
  filter.lead_to(kept);
  (void)filter.columns(kColumns);
  for (std::int64_t k = 0; k < 3000; ++k) feed(filter, {{k * 1000 / 3, 0}});
  filter.end();
  EXPECT_EQ(kept.times.size(), 3000U);
}

}  // namespace
}  // namespace tactus::executive::record_filter_test
