// SPDX-License-Identifier: Apache-2.0
/// Whatever is sent: no crash, no hang, bounded memory, and a session that answers afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "tests/drivers/live/trick/support/dialogue.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::drivers::trick::fuzz_test {
namespace {

using test::Dialogue;

const std::array<const char*, 26> kSeeds{
    "trick.var_add(\"tr.d1\")\n",
    "trick.var_add(\"tr.d1\", \"kg*m2/s**2\")\n",
    "trick.var_add(\"tr.arr[1]\")\n",
    "trick.var_add(\"time\")\n",
    "trick.var_remove('tr.d1')\n",
    "trick.var_clear()\n",
    "trick.var_units(\"tr.d1\", \"xx\")\n",
    "trick.var_units(\"tr.mm\", \"m\")\n",
    "trick.var_send()\n",
    "trick.var_send_once(\"tr.d1,tr.i1\", 2)\n",
    "trick.var_exists(\"tr.f1\")\n",
    "trick.var_send_list_size()\n",
    "trick.var_get_stl_size('tr.arr')\n",
    "trick.var_cycle(0.001); trick.var_unpause()\n",
    "trick.var_pause()\n",
    "trick.var_binary()\n",
    "trick.var_binary_nonames(); trick.var_byteswap(True)\n",
    "trick.var_ascii()\n",
    "trick.var_sync(1)\n",
    "trick.var_set_copy_mode(2); trick.var_set_frame_multiple(3)\n",
    "trick.var_set('tr.d1', -1.5e3, \"mm\")\n",
    "trick.var_set(\"tr.arr[2]\", 18446744073709551615)\n",
    "trick.var_set_client_tag(\"\\x41\\n\")\n",
    "trick.exec_freeze()\n",
    "obj.x = 3 # comment\n",
    "trick.var_debug(3)\r\n\r\n",
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  std::string bytes(std::size_t most) {
    std::string out(below(most + 1), '\0');
    for (char& c : out) c = static_cast<char>(below(256));
    return out;
  }
  /// Some of the seeds, bytes of which are changed, left out, doubled or moved.
  std::string mutated() {
    std::string out;
    for (std::size_t lines = 1 + below(6); lines > 0; --lines) out += kSeeds[below(kSeeds.size())];
    for (std::size_t changes = below(6); changes > 0 && !out.empty(); --changes) {
      static constexpr std::string_view kLikely = "()\"'\\,;#\n\r\t .-+e[]{}0918446x";
      const std::size_t at = below(out.size());
      switch (below(5)) {
        case 0:
          out[at] = static_cast<char>(below(256));
          break;
        case 1:
          out[at] = kLikely[below(kLikely.size())];
          break;
        case 2:
          out.erase(at, 1 + below(4));
          break;
        case 3:
          out.insert(at, 1 + below(3), kLikely[below(kLikely.size())]);
          break;
        default:
          out.insert(at, out.substr(below(out.size()), below(40)));
      }
    }
    return out;
  }

 private:
  std::mt19937 engine_;
};

/// Text answers must be whole lines of a known kind.
void expect_lines(const std::string& heard) {
  for (std::size_t at = 0; at < heard.size();) {
    const std::size_t end = heard.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const std::string kind = heard.substr(at, heard.find('\t', at) - at);
    ASSERT_TRUE(kind == "0" || kind == "1" || kind == "3" || kind == "5" || kind == "6") << kind;
    at = end + 1;
  }
}

TEST(TrickFuzz, RandomBytesAreRefused) {
  Random random(1);
  for (int run = 0; run < 200; ++run) {
    Dialogue dialogue;
    for (int turn = 0; turn < 20 && !dialogue.session->over(); ++turn)
      expect_lines(dialogue.say(random.bytes(300)));
    dialogue.say("\n");
    EXPECT_EQ(dialogue.say("trick.var_exists('tr.d1')\n"), "1\t1\n");
  }
}

TEST(TrickFuzz, MutatedDialoguesInAnyPieces) {
  Random random(2);
  for (int run = 0; run < ::tactus::test::trials(400); ++run) {
    Dialogue dialogue({.variables = 20, .writes = run % 2 == 0});
    for (int turn = 0; turn < 20; ++turn) {
      const std::string text = random.mutated();
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = std::min(1 + random.below(50), text.size() - at);
        if (size > dialogue.session->room()) break;
        dialogue.send(std::string_view(text).substr(at, size));
        at += size;
        if (random.below(3) == 0) dialogue.end_frame();
        if (random.below(3) == 0) dialogue.wait(std::chrono::milliseconds(random.below(20)));
        if (random.below(3) == 0) dialogue.session->sent(random.below(dialogue.session->output().size() + 1));
      }
    }
    dialogue.settle();
    dialogue.heard();
    dialogue.say("\ntrick.var_pause(); trick.var_clear()\n");
    dialogue.say("trick.var_ascii()\n");
    EXPECT_EQ(dialogue.say("trick.var_exists('tr.d1')\n"), "1\t1\n") << "run " << run;
    EXPECT_LE(dialogue.session->output().size(), Session::kBuffer);
  }
}

TEST(TrickFuzz, AnyNumberOfShortLinesIsTakenInLittleMemory) {
  Dialogue dialogue;
  const std::string block(100'000, '\n');
  for (int i = 0; i < 20; ++i) {
    for (int turns = 0; dialogue.session->room() < block.size() && turns < 100'000; ++turns)
      dialogue.session->advance(dialogue.now);
    ASSERT_GE(dialogue.session->room(), block.size());
    dialogue.send(block);
  }
  dialogue.settle();
  EXPECT_EQ(dialogue.say("trick.var_exists('tr.d1')\n"), "1\t1\n");
}

}  // namespace
}  // namespace tactus::drivers::trick::fuzz_test
