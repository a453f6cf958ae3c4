// SPDX-License-Identifier: Apache-2.0
#include "executive/model/model_overlay.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tactus::executive::model_overlay_test {
namespace {

using Kind = OverlayChange::Kind;
using Source = OverlaySource::Kind;

template <class T>
struct Bench {
  Bench(tactus_role role, tactus_type type) {
    variable.name = "m.x";
    variable.role = role;
    variable.type = type;
    variable.data = &x;
    cell = &overlay.cell_of({&variable, 0, 1, false, nullptr}, 0);
    change = &cell->recipe->changes.emplace_back();
  }
  T x{};
  Variable variable;
  OverlayChanges changes;
  ModelOverlay overlay{0, changes};
  void settle() { overlay.settle(*cell); }
  OverlayCell* cell = nullptr;
  OverlayChange* change = nullptr;
};

TEST(ModelOverlay, AnOffsetDoesNotAccumulateWhereNobodyWrites) {
  Bench<double> input(TACTUS_INPUT, TACTUS_DOUBLE);
  input.x = 1;
  input.change->kind = Kind::linear;
  input.change->a = 1;
  input.change->b = 5;
  input.settle();
  for (int i = 0; i < 3; ++i) {
    input.overlay.hide_inputs();
    input.overlay.show_inputs();
    EXPECT_EQ(input.x, 6);
  }
  input.overlay.hide_inputs();
  EXPECT_EQ(input.x, 1);
  input.x = 6;  // a copy of the very value that was shown
  input.overlay.show_inputs();
  EXPECT_EQ(input.x, 11);
  input.x = 2;  // somebody else, between frames
  input.overlay.hide_inputs();
  EXPECT_EQ(input.x, 2);
}

TEST(ModelOverlay, WhatALoadedStateShowsIsHiddenWhereItActsNoMore) {
  for (const tactus_role role : {TACTUS_STATE, TACTUS_INPUT}) {
    Bench<double> bench(role, TACTUS_DOUBLE);
    OverlayArrays& in = *bench.cell->in;  // as a checkpoint of a frame with the fault has them
    bench.x = 105;
    in.truth[bench.cell->place] = std::bit_cast<std::uint64_t>(5.0);
    in.shown[bench.cell->place] = std::bit_cast<std::uint64_t>(105.0);
    in.is_shown[bench.cell->place] = 1;
    bench.overlay.loaded();
    bench.overlay.show_settled();  // the fault acts no more
    EXPECT_EQ(bench.x, 5);
    bench.overlay.hide_all();
    EXPECT_EQ(bench.x, 5);
  }
}

TEST(ModelOverlay, AModelGoesOnWithTheTrueValueOfItsOutput) {
  Bench<double> output(TACTUS_OUTPUT, TACTUS_DOUBLE);
  output.change->kind = Kind::linear;
  output.change->a = 2;
  output.settle();
  for (int frame = 1; frame <= 4; ++frame) {
    output.overlay.hide_outputs();
    output.x += 1;  // its job
    output.overlay.show_all();
    EXPECT_EQ(output.x, 2 * frame);
  }
  output.change->kind = Kind::none;
  output.settle();
  output.overlay.hide_outputs();
  output.overlay.show_all();
  EXPECT_EQ(output.x, 4);
}

TEST(ModelOverlay, WhatAJobWritesIntoItsOwnInputIsTheTrueValue) {
  Bench<std::int32_t> input(TACTUS_INPUT, TACTUS_INT32);
  input.change->kind = Kind::linear;
  input.change->a = 1;
  input.change->b = 10;
  input.settle();
  input.overlay.show_inputs();
  EXPECT_EQ(input.x, 10);
  input.x = 0;  // "taken"
  input.x = 3;
  input.overlay.show_all();
  EXPECT_EQ(input.x, 13);
  input.overlay.hide_all();
  EXPECT_EQ(input.x, 3);
}

TEST(ModelOverlay, AFaultChangesWhatAStimulusWrites) {
  Bench<float> input(TACTUS_INPUT, TACTUS_FLOAT);
  input.x = 1;
  input.cell->recipe->source.kind = Source::value;
  input.cell->recipe->source.bits = overlay_bits(TACTUS_FLOAT, 4);
  input.change->kind = Kind::quantise;
  input.change->a = 3;
  input.settle();
  input.overlay.show_inputs();
  EXPECT_EQ(input.x, 3);
  input.overlay.hide_inputs();
  EXPECT_EQ(input.x, 1);
  input.change->kind = Kind::none;
  input.cell->recipe->source.kind = Source::mix;
  input.cell->recipe->source.gain = 0.25;
  input.cell->recipe->source.offset = 3;
  input.settle();
  input.overlay.show_inputs();
  EXPECT_EQ(input.x, 3.25F);
}

TEST(ModelOverlay, EachTypeIsRoundedAndKeptInItsRange) {
  const auto through = [](tactus_type type, double number) {
    return overlay_number(type, overlay_bits(type, number));
  };
  EXPECT_EQ(through(TACTUS_UINT8, 300), 255);
  EXPECT_EQ(through(TACTUS_UINT8, -3), 0);
  EXPECT_EQ(through(TACTUS_INT16, -1e9), -32768);
  EXPECT_EQ(through(TACTUS_INT32, 2.6), 3);
  EXPECT_EQ(through(TACTUS_INT32, std::nan("")), 0);
  EXPECT_EQ(through(TACTUS_BOOL, 0.4), 0);
  EXPECT_EQ(through(TACTUS_BOOL, 2), 1);
  EXPECT_EQ(overlay_bits(TACTUS_UINT64, 1e30), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(std::isnan(through(TACTUS_FLOAT, std::nan(""))));
}

TEST(ModelOverlay, AFlippedBitAndALimit) {
  Bench<std::uint16_t> output(TACTUS_OUTPUT, TACTUS_UINT16);
  output.x = 5;
  output.change->kind = Kind::flip;
  output.change->bits = 1U << 15U;
  output.settle();
  output.overlay.show_all();
  EXPECT_EQ(output.x, 0x8005);
  output.overlay.hide_all();
  EXPECT_EQ(output.x, 5);
  output.change->kind = Kind::limit;
  output.change->a = 7;
  output.change->b = 9;
  output.settle();
  output.overlay.show_all();
  EXPECT_EQ(output.x, 7);
}

}  // namespace
}  // namespace tactus::executive::model_overlay_test
