// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/trace_writer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <filesystem>

#include "tests/executive/flight/written_rig.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::trace_writer_test {
namespace {

using flight_test::WrittenRig;
using test::TempDir;

TEST(TraceWriter, WritesOneAfterAnother) {
  const TempDir dir;
  WrittenRig rig(flight_test::plan_in(dir.path()));
  for (std::int64_t k = 0; k < 50; ++k) rig.frame(k);
  TraceWriter writer(*rig.file, {.name = "traces"});
  writer.write({dir.path(), "one", {}});
  writer.write({dir.path() / "none", "two", {}});
  ASSERT_TRUE(writer.wait(std::chrono::steady_clock::now() + std::chrono::minutes(1)));
  const std::deque<TraceWriter::Written> written = writer.take_written();
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0].why, "one");
  EXPECT_EQ(written[0].result.failure, "");
  EXPECT_TRUE(std::filesystem::exists(dir / written[0].result.file));
  EXPECT_NE(written[1].result.failure, "");
  EXPECT_TRUE(writer.take_written().empty());
}

}  // namespace
}  // namespace tactus::executive::trace_writer_test
