// SPDX-License-Identifier: Apache-2.0
/// Formats whose files only grow cannot be torn by a kill but at their end. MDF also writes over links and a count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/record/mcap/mcap_sink.hpp"
#include "drivers/record/mdf4/mdf4_sink.hpp"
#include "tests/drivers/record/sample.hpp"
#include "tests/drivers/record/seen_writes.hpp"
#include "tests/drivers/record/trk.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test::in_place_test {
namespace {

struct InPlace {
  int grown = 0, over = 0;
  std::vector<std::string> torn;  // those over what is there that a kill could cut
};

InPlace written_by(std::unique_ptr<executive::RecordSink> sink, std::size_t columns) {
  const TempDir folder;
  const RecordSample sample(3, columns);
  InPlace found;
  std::uint64_t end = 0;
  sink->open(folder / sink->file_name("tape"), sample.head);  // it may write another file, of its header
  seen_write = [&](std::string_view bytes, std::uint64_t at) {
    ++(at < end ? found.over : found.grown);
    if (at < end && !stands_in_one_page(bytes, at))
      found.torn.push_back(std::to_string(bytes.size()) + " bytes at " + std::to_string(at));
    end = std::max(end, at + bytes.size());
  };
  for (std::uint64_t row = 0; row < 2000; ++row) {
    sink->write(sample.record(row).data());
    if (row % 3 == 0) sink->flush();
  }
  sink->close();
  seen_write = nullptr;
  return found;
}

TEST(InPlace, MdfWritesOverNothingThatAKillCanCut) {
  for (const std::size_t columns : {1U, 3U, 40U}) {
    const InPlace found = written_by(drivers::record::mdf4_sink(), columns);
    EXPECT_THAT(found.torn, ::testing::IsEmpty()) << columns;
    EXPECT_EQ(found.over, 2 * found.grown) << columns;  // a link and the count behind each piece
    EXPECT_GT(found.over, 1000) << columns;
  }
}

TEST(InPlace, McapAndTrkWriteOverNothing) {
  for (const bool trk : {false, true}) {
    const InPlace found = written_by(trk ? trk_sink() : drivers::record::mcap_sink(), 40);
    EXPECT_EQ(found.over, 0) << trk;
    EXPECT_GT(found.grown, 500) << trk;
  }
}

}  // namespace
}  // namespace tactus::test::in_place_test
