// SPDX-License-Identifier: Apache-2.0
#include "executive/state/state_image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::executive::state_image_test {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::vector<Piece> pieces) {
  try {
    (void)StateImage(std::move(pieces));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(StateImage, OfNothingIsEmpty) {
  const StateImage image;
  EXPECT_EQ(image.bytes(), 0U);
  image.copy_to(nullptr);
  image.copy_from(nullptr);
  EXPECT_EQ(StateImage(std::vector<Piece>{}).bytes(), 0U);
}

TEST(StateImage, CopiesNeighboursInOneGo) {
  struct {
    double a = 1, b = 2;
    float c[2] = {3, 4};
    std::int64_t hole = 99;
    bool d = true;
  } memory;
  const StateImage image({own_piece("d", memory.d), own_piece("c", std::span(memory.c)),
                          own_piece("a", memory.a), own_piece("b", memory.b)});
  EXPECT_EQ(image.runs(), 2U) << "a, b and c lie side by side";
  EXPECT_EQ(image.bytes(), 25U);
  EXPECT_EQ(image.offset(2), 0U);
  EXPECT_EQ(image.offset(0), 24U);
  std::vector<std::byte> bytes(image.bytes());
  image.copy_to(bytes.data());
  memory = {};
  memory.a = memory.b = memory.c[0] = memory.c[1] = -1;
  memory.hole = 77;
  memory.d = false;
  image.copy_from(bytes.data());
  EXPECT_EQ(memory.a, 1);
  EXPECT_EQ(memory.b, 2);
  EXPECT_EQ(memory.c[0], 3);
  EXPECT_EQ(memory.c[1], 4);
  EXPECT_TRUE(memory.d);
  EXPECT_EQ(memory.hole, 77) << "what nobody declared is nobody's";
}

TEST(StateImage, FindsPiecesByName) {
  double x = 0;
  float y = 0;
  const StateImage image({own_piece("m.x", x), own_piece("m.y", y)});
  EXPECT_EQ(image.find("m.y"), 1U);
  EXPECT_EQ(image.find("m"), 2U);
}

TEST(StateImage, TakesVariablesOfEveryType) {
  alignas(8) std::array<std::byte, 64> memory{};
  for (int type = TACTUS_BOOL; type <= TACTUS_DOUBLE; ++type) {
    Variable variable;
    variable.name = "m.x";
    variable.type = static_cast<tactus_type>(type);
    variable.count = 3;
    variable.unit_text = "V";
    variable.data = memory.data();
    const Piece piece = piece_of(variable);
    EXPECT_EQ(piece.type, name_of(variable.type));
    EXPECT_EQ(piece.bytes, 3 * size_of(variable.type));
    EXPECT_EQ(piece.unit, "V");
    EXPECT_EQ(type_of(piece.type), variable.type);
    EXPECT_EQ(StateImage({piece}).bytes(), piece.bytes);
  }
  EXPECT_EQ(type_of("unknown"), std::nullopt);
}

TEST(StateImage, NamesOwnTypesAsVariablesAreNamed) {
  const auto type_of_own = [](auto value) { return own_piece("own", value).type; };
  EXPECT_EQ(type_of_own(bool{}), "bool");
  EXPECT_EQ(type_of_own(std::int8_t{}), "int8");
  EXPECT_EQ(type_of_own(std::uint16_t{}), "uint16");
  EXPECT_EQ(type_of_own(std::int32_t{}), "int32");
  EXPECT_EQ(type_of_own(std::uint64_t{}), "uint64");
  EXPECT_EQ(type_of_own(0LL), "int64");
  EXPECT_EQ(type_of_own(float{}), "float");
  EXPECT_EQ(type_of_own(double{}), "double");
}

TEST(StateImage, RefusesWhatIsNotClear) {
  double x[4] = {};
  const auto at = [&](std::string name, std::size_t first, std::size_t count) {
    return own_piece(std::move(name), std::span(x).subspan(first, count));
  };
  Piece short_one = at("m.short", 0, 2);
  short_one.bytes = 15;
  Piece strange = at("m.strange", 0, 1);
  strange.type = "complex";
  Piece nowhere = at("m.nowhere", 0, 1);
  nowhere.data = nullptr;
  const struct {
    std::vector<Piece> pieces;
    const char* reason;
  } rows[] = {
      {{at("m.a", 0, 1), at("m.a", 1, 1)}, "'m.a' and 'm.a' are one name for two pieces"},
      {{at("m.a", 0, 2), at("m.b", 0, 2)}, "'m.a' and 'm.b' share memory"},
      {{at("m.b", 1, 2), at("m.a", 0, 2)}, "'m.a' and 'm.b' share memory"},
      {{at("m.all", 0, 4), at("m.one", 0, 1), at("m.last", 3, 1)},
       "'m.all' and 'm.one' share memory\n'm.all' and 'm.last' share memory"},
      {{short_one}, "'m.short': 2 double are not 15 bytes"},
      {{strange}, "'m.strange': has the type 'complex', which tactus does not know"},
      {{nowhere}, "'m.nowhere': has no memory"},
      {{at("", 0, 1)}, "'': is not a name for a piece of state"},
      {{at("a\x1b[2J", 0, 1)}, "is not a name for a piece of state"},
  };
  for (const auto& row : rows) EXPECT_THAT(refusal(row.pieces), HasSubstr(row.reason));
  EXPECT_EQ(refusal({at("m.a", 0, 2), at("m.b", 2, 2)}), "") << "side by side is not overlapping";
}

TEST(StateImage, RestoresRandomLayoutsAndNothingBesideThem) {
  std::mt19937 engine(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine);
  };
  for (int turn = 0; turn < 300; ++turn) {
    std::vector<std::byte> arena(1 + below(3000));
    for (std::byte& b : arena) b = static_cast<std::byte>(below(256));
    std::vector<bool> owned(arena.size());
    std::vector<Piece> pieces;
    std::size_t at = 0;
    std::size_t sum = 0;
    while (true) {
      if (below(2) == 0) at += below(20);
      const auto type = static_cast<tactus_type>(TACTUS_BOOL + below(11));
      const auto count = static_cast<std::uint32_t>(below(20));
      const std::size_t bytes = std::max<std::size_t>(count, 1) * size_of(type);
      if (at + bytes > arena.size()) break;
      pieces.push_back({"p" + std::to_string(at), std::string(name_of(type)), count, "", &arena[at], bytes});
      std::fill_n(owned.begin() + static_cast<std::ptrdiff_t>(at), bytes, true);
      at += bytes;
      sum += bytes;
    }
    std::shuffle(pieces.begin(), pieces.end(), engine);
    const StateImage image(pieces);
    ASSERT_EQ(image.bytes(), sum);
    ASSERT_LE(image.runs(), pieces.size());
    std::vector<std::byte> block(image.bytes());
    image.copy_to(block.data());
    for (std::size_t i = 0; i < pieces.size(); ++i)
      ASSERT_EQ(std::memcmp(&block[image.offset(i)], pieces[i].data, pieces[i].bytes), 0) << pieces[i].name;
    const std::vector<std::byte> before = arena;
    for (std::byte& b : arena) b = ~b;
    image.copy_from(block.data());
    for (std::size_t i = 0; i < arena.size(); ++i)
      ASSERT_EQ(arena[i], owned[i] ? before[i] : ~before[i]) << i;
  }
}

TEST(StateImageRt, NeverTouchesTheHeap) {
  std::vector<double> values(1000, 1.5);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < values.size(); i += 2)
    pieces.push_back(own_piece("p" + std::to_string(i), values[i]));
  const StateImage image(pieces);
  std::vector<std::byte> block(image.bytes());
  const rtsync::HeapWatch heap;
  for (int i = 0; i < 100; ++i) {
    image.copy_to(block.data());
    image.copy_from(block.data());
  }
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::executive::state_image_test
