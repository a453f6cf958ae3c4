// SPDX-License-Identifier: Apache-2.0
#include "executive/model/model_overlay.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "executive/model/overlay_sums.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::executive {

double overlay_number(tactus_type type, std::uint64_t bits) TACTUS_RT {
  return with_type(type,
                   [&bits](auto zero) { return static_cast<double>(load_element<decltype(zero)>(&bits)); });
}

std::uint64_t overlay_bits(tactus_type type, double number) TACTUS_RT {
  return with_type(type, [number](auto zero) -> std::uint64_t {
    using T = decltype(zero);
    StoredAs<T> value{};
    if constexpr (std::is_same_v<T, bool>) {
      value = std::nearbyint(number) == 0 || std::isnan(number) ? 0 : 1;
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(number);
    } else {
      const double whole = std::nearbyint(number);
      constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
      constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
      if (std::isnan(whole))
        value = 0;
      else if (whole <= kLow)
        value = std::numeric_limits<T>::min();
      else if (whole >= kHigh)
        value = std::numeric_limits<T>::max();
      else
        value = static_cast<T>(whole);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  });
}

/// Returns how many words arrays of this number of cells take: those of the same place do not meet in the same cache sets.
static std::size_t words_of(std::size_t room) { return room < 64 ? room : room + 24; }

void OverlayArrays::add(std::byte* memory) {
  if (count_ == room_) {
    std::vector<std::byte> larger(kWords * sizeof(std::uint64_t) * words_of(room_ * 2));
    const std::array<const void*, kWords> was{truth, shown, a, b, at, is_shown};
    use(larger.data(), room_ * 2);
    const std::array<void*, kWords> is{truth, shown, a, b, at, is_shown};
    for (std::size_t i = 0; i < kWords; ++i)
      std::memcpy(is[i], was[i], count_ * (i + 1 < kWords ? sizeof(std::uint64_t) : 1));
    block_.swap(larger);
  }
  at[count_++] = memory;
}

void OverlayArrays::use(std::byte* block, std::size_t room) {
  room_ = room;
  const auto next = [&block, room](auto*& array) {
    array = static_cast<std::remove_reference_t<decltype(array)>>(static_cast<void*>(block));
    block += words_of(room) * sizeof(std::uint64_t);
  };
  next(truth);
  next(shown);
  next(a);
  next(b);
  next(at);
  next(is_shown);
}

void OverlayCell::load_narrow(std::uint64_t& value) const TACTUS_RT { std::memcpy(&value, at, bytes); }

void OverlayCell::store_narrow(std::uint64_t value) const TACTUS_RT { std::memcpy(at, &value, bytes); }

std::uint64_t OverlayCell::base() const TACTUS_RT {
  const OverlaySource& source = recipe->source;
  switch (source.kind) {
    case OverlaySource::Kind::none:
      break;
    case OverlaySource::Kind::value:
      return source.value();
    case OverlaySource::Kind::mix:
      return overlay_bits(type, overlay_number(type, truth()) * source.gain + source.offset);
  }
  return truth();
}

std::uint64_t OverlayCell::seen(std::uint64_t truth) const TACTUS_RT {
  if (does == Does::put) return plain ? recipe->source.value() : std::bit_cast<std::uint64_t>(in->a[place]);
  if (does == Does::add && type == TACTUS_DOUBLE)
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(truth) + in->b[place]);
  return through(recipe->changes.size());
}

void OverlayCell::settle() TACTUS_RT {
  using Change = OverlayChange::Kind;
  if (std::exchange(drawn, false)) recipe->changes[0].b = in->b[place];
  const OverlayChange* only = nullptr;  // the change that counts
  std::size_t number = 0;
  for (const OverlayChange& change : recipe->changes) {
    if (change.kind == Change::none) continue;
    number = change.kind == Change::value ? 1 : number + 1;  // one value replaces all before it
    only = &change;
  }
  const OverlaySource& source = recipe->source;
  const bool real = is_real(type);
  const auto be = [this](Does what, double by, double more) TACTUS_RT {
    does = what;
    in->a[place] = by;
    in->b[place] = more;
  };
  plain = number == 0 && source.kind == OverlaySource::Kind::value;
  if (plain || (number == 1 && only->kind == Change::value)) {
    const std::uint64_t bits = plain ? source.value() : only->bits;
    in->shown[place] = bits;
    return be(Does::put, std::bit_cast<double>(bits), 0);
  }
  if (number == 0 && source.kind == OverlaySource::Kind::none) {
    does = Does::nothing;
    return;
  }
  if (number == 0 && real) return be(Does::line, source.gain, source.offset);
  does = Does::recipe_;
  if (number != 1 || source.kind != OverlaySource::Kind::none) return;
  if (only->kind == Change::flip) return be(Does::flip, std::bit_cast<double>(only->bits), 0);
  if (!real) return;
  if (only->kind == Change::linear) return be(only->a == 1 ? Does::add : Does::line, only->a, only->b);
  if (only->kind == Change::quantise) return be(Does::quantise, only->a, 0);
  if (only->kind == Change::limit) return be(Does::limit, only->a, only->b);
}

std::uint64_t OverlayChange::of(std::uint64_t value, tactus_type type) const TACTUS_RT {
  switch (kind) {
    case Kind::none:
      break;
    case Kind::value:
      return bits;
    case Kind::linear:
      if (type == TACTUS_DOUBLE) return std::bit_cast<std::uint64_t>(std::bit_cast<double>(value) * a + b);
      return overlay_bits(type, overlay_number(type, value) * a + b);
    case Kind::flip:
      return value ^ bits;
    case Kind::quantise:
      return overlay_bits(type, std::nearbyint(overlay_number(type, value) / a) * a);
    case Kind::limit: {
      const double number = overlay_number(type, value);
      return number < a ? overlay_bits(type, a) : number > b ? overlay_bits(type, b) : value;
    }
    case Kind::swap:
      return other->through(other_place);
  }
  return value;
}

namespace {

/// Lets cells that are shown show another value. `seen` makes it of the number of a cell and of its true value.
template <class Seen>
void show_again(OverlayArrays& in, const OverlayCells& cells, Seen seen) TACTUS_RT {
  std::uint64_t* const __restrict truth = in.truth;
  std::uint64_t* const __restrict shown = in.shown;
  OverlayLoops::with_cells(cells.layout, cells.places, cells.places[0], cells.count, in,
                           [&](auto all) TACTUS_RT {
                             for (std::size_t n = 0; n < cells.count; ++n) {
                               const std::size_t place = all.place(n);
                               std::byte* const at = all.at(n, place);
                               const auto now = overlay_change::load_from<std::uint64_t>(at);
                               if (now != shown[place]) [[unlikely]]
                                 truth[place] = now;
                               const std::uint64_t next = seen(n, truth[place]);
                               shown[place] = next;
                               overlay_change::store_to(at, next);
                             }
                           });
}

}  // namespace

void ModelOverlay::put(const OverlayCells& cells, const double* values) TACTUS_RT {
  Side& side = side_of(cells.before_jobs);
  touch(side);
  if (side.only == OverlayCell::Does::put && side.state == Side::shown)
    return show_only_again(side, [&](std::uint64_t) { return std::bit_cast<std::uint64_t>(*values); });
  OverlayArrays& in = side.arrays;
  const auto bits = [values](std::size_t n, std::uint64_t) {
    return std::bit_cast<std::uint64_t>(values[n]);
  };
  if (side.state != Side::shown) {
    for (std::size_t i = 0; i < cells.count; ++i) {
      show_now(*side.all[cells.places[i]], [&](std::uint64_t truth) { return bits(i, truth); });
      in.shown[cells.places[i]] = bits(i, 0);
    }
    return;
  }
  const std::size_t first = cells.places[0];
  if (cells.layout != OverlayLayout::packed || !OverlayLoops::holds_shown(in, first, cells.count))
    return show_again(in, cells, bits);
  std::memcpy(in.shown + first, values, cells.count * sizeof *values);
  std::memcpy(in.at[first], values, cells.count * sizeof *values);
}

void ModelOverlay::draw(const OverlayCells& cells, const double* more) TACTUS_RT {
  Side& side = side_of(cells.before_jobs);
  touch(side);
  if (side.only == OverlayCell::Does::add && side.state == Side::shown) {
    side.set_word(OverlayArrays::kB, *more);
    return show_only_again(side, [&](std::uint64_t truth) {
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(truth) + *more);
    });
  }
  OverlayArrays& in = side.arrays;
  const auto sum = [more](std::size_t n, std::uint64_t truth) {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(truth) + more[n]);
  };
  const std::size_t first = cells.places[0];
  if (cells.layout == OverlayLayout::scattered)
    for (std::size_t i = 0; i < cells.count; ++i) in.b[cells.places[i]] = more[i];
  else if (more != in.b + first)
    std::memcpy(in.b + first, more, cells.count * sizeof *more);
  if (side.state != Side::shown) {
    for (std::size_t i = 0; i < cells.count; ++i)
      show_now(*side.all[cells.places[i]], [&](std::uint64_t truth) { return sum(i, truth); });
    return;
  }
  if (cells.layout != OverlayLayout::packed || !OverlayLoops::holds_shown(in, first, cells.count))
    return show_again(in, cells, sum);
  show_sums_again(in.at[first], in.truth + first, in.shown + first, in.b + first, cells.count);
}

/// The lists of many cells are not made anew for each that is switched; those of few are, and have longer loops for it.
bool ModelOverlay::relist(Side& side, const OverlayCell& cell, OverlayCell::Does did) TACTUS_RT {
  using Does = OverlayCell::Does;
  constexpr std::size_t kMany = 32;
  if (side.all.size() > 1 && side.acting.size() < kMany) return false;
  if (did == Does::recipe_ || cell.does == Does::recipe_) return false;
  if (did != Does::nothing && !side.loops.remove(cell, did)) return false;
  if (cell.acts() && !side.loops.add(side.arrays, cell)) return false;
  const auto at = std::ranges::lower_bound(side.acting, cell.place, {}, &OverlayCell::place);
  const bool is_in = at != side.acting.end() && *at == &cell;
  if (cell.acts() && !is_in) side.acting.insert(at, side.all[cell.place]);  // its room is reserved
  if (!cell.acts() && is_in) side.acting.erase(at);
  return true;
}

OverlayCell::Does ModelOverlay::only_of(const Side& side) TACTUS_RT {
  const OverlayCell& cell = *side.all.front();
  const bool is_word = side.all.size() == 1 && cell.bytes == sizeof(std::uint64_t);
  return is_word && cell.does != OverlayCell::Does::recipe_ ? cell.does : OverlayCell::Does::nothing;
}

/// The cell is hidden. A recipe may show what others are: then all are shown anew.
void ModelOverlay::changed(const OverlayCell& cell, OverlayCell::Does did, bool was_listed,
                           bool was_plain) TACTUS_RT {
  using Does = OverlayCell::Does;
  Side& side = side_of(cell.before_jobs);
  const bool is_other = cell.does != did;
  if (is_other) {
    by_recipe_ += cell.does == Does::recipe_ ? 1 : 0;
    by_recipe_ -= did == Does::recipe_ ? 1 : 0;
    side.stale = side.stale || !relist(side, cell, did);
    side.only = side.stale ? Does::nothing : only_of(side);
  }
  // Lists of cells that are drawn in loops have none that showed anything but a stimulus or a sum.
  if (was_listed && (is_other || cell.plain != was_plain)) ++changes_.kinds;
  if (by_recipe_ > 0 || side.stale)
    side.state = Side::mixed;
  else if (side.state == Side::shown)
    cell.show();
  touch(side);
}

void ModelOverlay::gather(Side& side) TACTUS_RT {
  side.stale = false;
  side.state = Side::mixed;
  side.acting.clear();  // its room is reserved
  for (OverlayCell* const cell : side.all)
    if (cell->acts() || cell->is_shown()) side.acting.push_back(cell);
  for (const OverlayCell* const cell : side.acting)  // also where the state was put back
    if (cell->does == OverlayCell::Does::put && !cell->is_shown())
      side.arrays.shown[cell->place] = cell->seen(0);
  side.loops.sort(side.arrays, side.acting);
  side.only = only_of(side);
}

void ModelOverlay::order_cells() {
  for (Side* const side : {&inputs_, &outputs_}) {
    const bool idle = std::ranges::none_of(
        side->all, [](const OverlayCell* cell) { return cell->acts() || cell->is_shown(); });
    if (!idle) continue;
    std::ranges::sort(side->all, {}, &OverlayCell::at);
    for (std::size_t i = 0; i < side->all.size(); ++i) {
      side->all[i]->place = static_cast<std::uint32_t>(i);
      side->arrays.at[i] = side->all[i]->at;
    }
  }
}

OverlayCell& ModelOverlay::cell_of(const VariableRef& ref, std::uint32_t element) {
  constexpr std::size_t kBlock = 256;
  const std::size_t bytes = size_of(ref.variable->type);
  std::byte* const at = static_cast<std::byte*>(ref.variable->data) + (ref.first + element) * bytes;
  if (const auto known = places_.find(at); known != places_.end()) return *known->second;
  if (blocks_.empty() || blocks_.back().size() == kBlock) blocks_.emplace_back().reserve(kBlock);
  OverlayCell& cell = blocks_.back().emplace_back();
  cell.at = at;
  cell.recipe = &recipes_.emplace_back();
  cell.type = ref.variable->type;
  cell.bytes = static_cast<std::uint8_t>(bytes);
  cell.before_jobs = ref.variable->role == TACTUS_INPUT || ref.variable->role == TACTUS_PARAMETER;
  Side& side = side_of(cell.before_jobs);
  cell.in = &side.arrays;
  cell.place = static_cast<std::uint32_t>(side.all.size());
  side.all.push_back(&cell);
  side.acting.reserve(side.all.capacity());
  side.loops.grow();
  side.arrays.add(at);
  side.has_cells = true;
  outputs_.has_inputs = outputs_.has_inputs || cell.before_jobs;
  places_.emplace(at, &cell);
  named_.push_back({ref.variable->name + index_text(*ref.variable, ref.first + element), &cell});
  return cell;
}

}  // namespace tactus::executive
