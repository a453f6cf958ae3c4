// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::rtsync::witness_doing_test {
namespace {

/// On one CPU: the kernel stops the reader in the middle of a text, and the writer exchanges it.
TEST(WitnessPage, ATextIsReadWholeWhileAnotherIsWritten) {
  const auto page = std::make_unique<WitnessPage>();
  const std::string texts[] = {std::string(900, 'a'), std::string(900, 'b')};
  page->set_doing(texts[0]);
  const CpuSet one{allowed_cpus().last()};
  std::atomic<bool> over{false};
  std::thread reader([&] {
    (void)set_affinity(0, one);
    for (int whole = 0; whole < 20'000;) {
      const std::string read = page->doing_text();
      if (read.empty()) continue;
      ASSERT_TRUE(read == texts[0] || read == texts[1]) << read;
      ++whole;
    }
    over = true;
  });
  std::thread writer([&] {
    (void)set_affinity(0, one);
    for (unsigned i = 1; !over.load(); ++i) {
      page->set_doing(texts[i % 2]);
      std::this_thread::yield();
    }
  });
  reader.join();
  over = true;  // where it found a torn text
  writer.join();
  EXPECT_FALSE(page->doing_text().empty());
}

}  // namespace
}  // namespace tactus::rtsync::witness_doing_test
