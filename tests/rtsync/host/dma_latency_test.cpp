// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/dma_latency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <utility>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::dma_latency_test {
namespace {

using Microseconds = std::chrono::duration<std::int32_t, std::micro>;

std::int32_t stored(const std::filesystem::path& file) {
  std::int32_t value = -1;
  std::ifstream{file, std::ios::binary}.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

TEST(DmaLatencyHolder, WritesFourBytesAndHoldsTheFile) {
  FakeRoot root;
  root.write("/dev/cpu_dma_latency", "");
  const std::filesystem::path device = root.path() / "dev/cpu_dma_latency";
  DmaLatency held{Microseconds{20}, device};
  EXPECT_TRUE(held.held());
  EXPECT_TRUE(held.provision().granted) << sentence(held.provision());
  EXPECT_EQ(stored(device), 20);
  EXPECT_EQ(std::filesystem::file_size(device), 4U) << "eight bytes would be read as text";
  DmaLatency moved{std::move(held)};
  EXPECT_TRUE(moved.held());
}

TEST(DmaLatencyHolder, SaysWhatIsMissing) {
  FakeRoot root;
  const DmaLatency absent{Microseconds{0}, root.path() / "dev/cpu_dma_latency"};
  EXPECT_FALSE(absent.held());
  EXPECT_FALSE(absent.provision().granted);
  EXPECT_THAT(absent.provision().cause, ::testing::HasSubstr("No such file or directory (ENOENT)"));
  EXPECT_THAT(absent.provision().fix, ::testing::HasSubstr("--device="));
  EXPECT_FALSE(DmaLatency(Microseconds{-1}, root.path()).provision().granted);
}

TEST(DmaLatencyHolder, OfThisMachineIsGrantedOrExplained) {
  const DmaLatency held{Microseconds{100}};
  const Provision& provision = held.provision();
  EXPECT_EQ(held.held(), provision.granted) << sentence(provision);
  if (!provision.granted) {
    EXPECT_FALSE(provision.cause.empty());
    EXPECT_FALSE(provision.fix.empty());
  }
}

}  // namespace
}  // namespace tactus::rtsync::dma_latency_test
