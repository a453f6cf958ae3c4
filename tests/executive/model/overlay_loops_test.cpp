// SPDX-License-Identifier: Apache-2.0
// Loops over many cells against one cell at a time.
#include "executive/model/overlay_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "executive/model/model_overlay.hpp"
#include "executive/model/overlay_sums.hpp"

namespace tactus::executive::overlay_loops_test {
namespace {

constexpr std::array kTypes{TACTUS_DOUBLE, TACTUS_DOUBLE, TACTUS_FLOAT, TACTUS_INT8,
                            TACTUS_UINT16, TACTUS_INT32,  TACTUS_BOOL,  TACTUS_UINT64};
constexpr std::uint32_t kElements = 24;

/// Cells that a rig has.
enum class Cells : std::uint8_t {
  all,      ///< many of all types, some of which do what a recipe says
  simple,   ///< many, each of which does one thing: they are switched one by one
  one_word  ///< a single one of eight bytes on each side
};

/// A rig of some arrays, of which some elements are overlaid, and what each of them has to be.
class Subject {
 public:
  explicit Subject(std::uint32_t seed, Cells kind = Cells::all) : random_(seed), kind_(kind) {
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      if (kind == Cells::one_word && i > 1) break;
      Variable& variable = variables_[i];
      variable.name = "m.v" + std::to_string(i);
      variable.role = random_() % 2 == 0 ? TACTUS_INPUT : TACTUS_OUTPUT;
      if (kind == Cells::one_word) variable.role = i == 0 ? TACTUS_INPUT : TACTUS_OUTPUT;
      variable.type = kTypes[i];
      variable.count = kElements;
      variable.data = memory_[i].data();
      const bool all = random_() % 2 == 0, every_other = random_() % 4 == 0;
      for (std::uint32_t element = 0; element < kElements; ++element) {
        if (kind == Cells::one_word ? element != 5
            : every_other           ? element % 2 == 1
                                    : !all && random_() % 3 == 0)
          continue;
        Model& model = models_.emplace_back();
        model.cell = &overlay_.cell_of({&variable, 0, kElements, false, nullptr}, element);
        model.cell->recipe->changes.resize(2);
      }
    }
    std::shuffle(models_.begin(), models_.end(), random_);
    overlay_.order_cells();
    for (Model& model : models_) model.truth = model.cell->load();
  }

  /// Something happens; then each element is compared with what it has to be.
  void step() {
    switch (random_() % 8) {
      case 7: {
        const bool inputs = random_() % 2 == 0, stimulus = random_() % 2 == 0;
        for (Model& model : models_)
          if (model.cell->before_jobs == inputs) settle_as(model, stimulus);
        overlay_.show_settled();
        show_others(inputs, stimulus);
        overlay_.show_settled();
        break;
      }
      case 6:
        show_others(random_() % 2 == 0, random_() % 2 == 0);
        overlay_.show_settled();
        break;
      case 0:
      case 1:
        for (std::uint64_t i = kind_ == Cells::all ? 20 : 1 + random_() % 3; i > 0; --i)
          settle(models_[random_() % models_.size()]);
        overlay_.show_settled();
        break;
      case 2:
        overlay_.hide_inputs();
        expect(true, false);
        for (Model& model : models_)
          if (model.cell->before_jobs) write(model);
        overlay_.show_inputs();
        break;
      default:  // a job, which may write into an input of its own
        overlay_.hide_outputs();
        expect(false, false);
        for (Model& model : models_)
          if (!model.cell->before_jobs || random_() % 40 == 0) write(model);
        overlay_.show_all();
    }
    expect(true, true);
    expect(false, true);
  }
  std::array<int, 4> layouts{};  ///< by layout: how often cells have shown other values at once

 private:
  struct Model {
    OverlayCell* cell = nullptr;
    std::uint64_t truth = 0;
    /// What is to be seen: the recipe, word by word.
    std::uint64_t seen() const {
      const OverlaySource& source = cell->recipe->source;
      std::uint64_t value = truth;
      if (source.kind == OverlaySource::Kind::value) value = source.bits;
      if (source.kind == OverlaySource::Kind::mix)
        value = overlay_bits(cell->type, overlay_number(cell->type, truth) * source.gain + source.offset);
      for (const OverlayChange& change : cell->recipe->changes) value = change.of(value, cell->type);
      return value;
    }
  };

  double number() {
    const double all[] = {0,
                          -0.0,
                          1,
                          -2.5,
                          1e300,
                          3,
                          std::numeric_limits<double>::infinity(),
                          std::nan(""),
                          0.1 * static_cast<double>(random_() % 1000)};
    return all[random_() % std::size(all)];
  }
  double finite() { return 0.375 * (static_cast<double>(random_() % 100) - 50); }
  std::uint64_t bits(const OverlayCell& cell) { return overlay_bits(cell.type, number()); }

  void write(Model& model) {
    if (random_() % 4 == 0 && model.cell->before_jobs) return;
    const std::uint64_t value = bits(*model.cell);
    // What a shown input is overwritten with is the true value, but for the very value that it shows.
    if (model.cell->is_shown() && value == model.cell->in->shown[model.cell->place]) return;
    model.cell->store(value);
    model.truth = value;
  }
  void settle(Model& model) {
    using Change = OverlayChange::Kind;
    OverlayCell& cell = *model.cell;
    OverlaySource& source = cell.recipe->source;
    source.kind = static_cast<OverlaySource::Kind>(random_() % 4 == 0 ? random_() % 3 : 0);
    const bool is_real = cell.type == TACTUS_DOUBLE || cell.type == TACTUS_FLOAT;
    if (kind_ != Cells::all && !is_real && source.kind == OverlaySource::Kind::mix)
      source.kind = OverlaySource::Kind::none;
    source.bits = bits(cell);
    source.gain = 0.5;
    source.offset = finite();
    const bool one = random_() % 4 != 0;
    for (std::size_t i = 0; i < cell.recipe->changes.size(); ++i) {
      OverlayChange& change = cell.recipe->changes[i];
      change.kind = i > 0 && one ? Change::none : static_cast<Change>(random_() % 6);
      const bool is_simple = is_real || change.kind == Change::value || change.kind == Change::flip;
      if (kind_ != Cells::all && (i > 0 || source.kind != OverlaySource::Kind::none || !is_simple))
        change.kind = Change::none;
      change.bits = change.kind == Change::flip ? 1 : bits(cell);
      change.a = change.kind == Change::linear && random_() % 2 == 0 ? 1 : 0.25;
      change.b = change.kind == Change::limit ? 2 : finite();
    }
    overlay_.settle(cell);
  }
  /// Gives one the value of a stimulus alone, or a number to add alone.
  void settle_as(Model& model, bool stimulus) {
    settle(model);
    OverlayCell& cell = *model.cell;
    cell.recipe->source.kind = stimulus ? OverlaySource::Kind::value : OverlaySource::Kind::none;
    for (OverlayChange& change : cell.recipe->changes) change.kind = OverlayChange::Kind::none;
    if (!stimulus) cell.recipe->changes[0] = {.kind = OverlayChange::Kind::linear, .a = 1, .b = finite()};
    overlay_.settle(cell);
  }
  /// Doubles of one side get another value of a stimulus, or another number to add, all at once.
  void show_others(bool inputs, bool stimulus) {
    const std::size_t left_out = random_() % 3 == 0 ? random_() % 5 : 100;
    std::vector<Model*> chosen;
    for (Model& model : models_) {
      const OverlayCell& cell = *model.cell;
      if (cell.before_jobs != inputs || cell.type != TACTUS_DOUBLE || cell.place % 5 == left_out) continue;
      if (stimulus ? cell.plain : cell.does == OverlayCell::Does::add) chosen.push_back(&model);
    }
    if (chosen.empty()) return;
    std::sort(chosen.begin(), chosen.end(),
              [](const Model* one, const Model* other) { return one->cell->place < other->cell->place; });
    if (random_() % 2 == 0) {  // as long as their places follow each other
      std::size_t n = 1;
      while (n < chosen.size() && chosen[n]->cell->place == chosen[n - 1]->cell->place + 1) ++n;
      chosen.resize(std::min<std::size_t>(n, 3 + random_() % 30));
    }
    std::vector<std::uint32_t> places;
    std::vector<double> values;
    for (Model* const model : chosen) {
      if (random_() % 8 == 0) {  // somebody has written there meanwhile
        const double other = 0.5 + static_cast<double>(random_() % 50);
        if (std::bit_cast<std::uint64_t>(other) != model->cell->in->shown[model->cell->place]) {
          model->truth = std::bit_cast<std::uint64_t>(other);
          model->cell->store(model->truth);
        }
      }
      places.push_back(model->cell->place);
      values.push_back(finite());
      if (stimulus) {
        model->cell->recipe->source.bits = std::bit_cast<std::uint64_t>(values.back());
      } else {
        for (OverlayChange& change : model->cell->recipe->changes)
          if (change.kind == OverlayChange::Kind::linear) change.b = values.back();
      }
    }
    OverlayCells cells{inputs, places.data()};
    for (std::size_t i = 1; i < chosen.size(); ++i) cells.add(*chosen[i]->cell);
    ++layouts[static_cast<std::size_t>(cells.layout)];
    if (stimulus) return overlay_.put(cells, values.data());
    if (cells.layout == OverlayLayout::scattered) return overlay_.draw(cells, values.data());
    double* const there = overlay_.drawn(cells);
    std::copy(values.begin(), values.end(), there);
    overlay_.draw(cells, there);
  }
  void expect(bool inputs, bool shown) {
    for (const Model& model : models_) {
      const OverlayCell& cell = *model.cell;
      if (cell.before_jobs != inputs) continue;
      const std::uint64_t wanted = shown ? model.seen() : model.truth;
      ASSERT_EQ(cell.load(), wanted) << static_cast<int>(cell.type) << " does " << static_cast<int>(cell.does)
                                     << " shown " << shown;
      ASSERT_EQ(cell.truth(), model.truth);
      ASSERT_EQ(cell.is_shown(), shown && cell.acts());
    }
  }

  std::mt19937 random_;
  const Cells kind_;
  OverlayChanges changes_;
  ModelOverlay overlay_{0, changes_};
  std::array<Variable, kTypes.size()> variables_{};
  std::array<std::array<std::uint64_t, kElements>, kTypes.size()> memory_{};
  std::vector<Model> models_;
};

TEST(OverlayLoops, ShowWhatEachCellWouldShowByItself) {
  std::array<int, 4> layouts{};
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Subject subject(seed);
    for (int i = 0; i < 60; ++i) {
      subject.step();
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << i;
    }
    for (std::size_t i = 0; i < layouts.size(); ++i) layouts[i] += subject.layouts[i];
  }
  for (std::size_t i = 0; i < layouts.size(); ++i) EXPECT_GT(layouts[i], 0) << "layout " << i;
}

TEST(OverlayLoops, ShowTheSameWhereCellsAreSwitchedOneByOne) {
  for (const Cells kind : {Cells::simple, Cells::one_word})
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
      Subject subject(seed, kind);
      for (int i = 0; i < 150; ++i) {
        subject.step();
        ASSERT_FALSE(::testing::Test::HasFatalFailure())
            << "seed " << seed << ", step " << i << ", kind " << static_cast<int>(kind);
      }
    }
}

/// Values, what is added to them, and what three ways of adding made of them: each is a row of numbers.
struct Sums {
  std::vector<std::uint64_t> at, truth, shown;
  bool operator==(const Sums&) const = default;
};

TEST(OverlaySums, HaveTheBitsOfOneByOneWithVectorsOfEachWidth) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::array odd{-0.0, nan, inf, -inf, 5e-324, 1.7e308, 0.1};
  std::mt19937_64 random(7);
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<std::uint64_t> values(count);
    std::vector<double> more(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::bit_cast<std::uint64_t>(odd[random() % odd.size()]);
      more[i] = i % 3 == 0 ? 0.2 : std::bit_cast<double>(random() >> 2U);
    }
    const auto bytes = [](std::vector<std::uint64_t>& of) {
      return std::as_writable_bytes(std::span(of)).data();
    };
    Sums wanted{values, values, values}, narrow{values, values, values}, machine = narrow;
    for (std::size_t i = 0; i < count; ++i)
      wanted.at[i] = wanted.shown[i] =
          std::bit_cast<std::uint64_t>(std::bit_cast<double>(values[i]) + more[i]);
    overlay_sums::show(bytes(narrow.at), narrow.truth.data(), narrow.shown.data(), more.data(), count);
    show_sums(bytes(machine.at), machine.truth.data(), machine.shown.data(), more.data(), count);
    EXPECT_EQ(narrow, wanted) << count;
    EXPECT_EQ(machine, wanted) << count;
    for (double& each : more) each *= 2;
    for (std::size_t i = 0; i < count; ++i)
      wanted.at[i] = wanted.shown[i] =
          std::bit_cast<std::uint64_t>(std::bit_cast<double>(values[i]) + more[i]);
    overlay_sums::show_again(bytes(narrow.at), narrow.truth.data(), narrow.shown.data(), more.data(), count);
    show_sums_again(bytes(machine.at), machine.truth.data(), machine.shown.data(), more.data(), count);
    EXPECT_EQ(narrow, wanted) << count;
    EXPECT_EQ(machine, wanted) << count;
  }
}

}  // namespace
}  // namespace tactus::executive::overlay_loops_test
