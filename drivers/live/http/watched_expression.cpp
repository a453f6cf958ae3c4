// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/watched_expression.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/expression.hpp"
#include "config/expression_builder.hpp"
#include "executive/expression/variable_inputs.hpp"

namespace tactus::drivers::live_http {
namespace {

using config::CellType;
using executive::LiveRef;
using executive::LiveRig;

/// Frames before one that a program looks back at, at most.
std::int64_t past_of(const config::ExpressionProgram& program) {
  using config::Operation;
  std::int64_t past = 0;
  for (const config::Instruction& one : program.instructions) {
    if (one.operation == Operation::count || one.operation == Operation::once)
      return WatchedExpression::kWholePast;
    if (one.operation == Operation::held || is_window(one.operation)) past += one.ticks;
    if (one.operation >= Operation::previous && one.operation <= Operation::rate) past += 1;
  }
  return past;
}

/// A value as JSON has it: what is no number of it is a word.
Json real_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

}  // namespace

WatchedExpression::WatchedExpression(config::ExpressionProgram program, CellType type, std::uint32_t cell,
                                     std::string unit, std::vector<LiveRef> refs,
                                     std::vector<tactus_type> types)
    : run_(std::move(program)),
      type_(type),
      cell_(cell),
      unit_(std::move(unit)),
      refs_(std::move(refs)),
      types_(std::move(types)),
      cells_(refs_.size()) {
  for (const config::ProgramInput& input : run_.program().inputs) cells_[input.key].push_back(input.cell);
  past_ = past_of(run_.program());
}

std::shared_ptr<WatchedExpression> WatchedExpression::make(const LiveRig& rig, const std::string& text,
                                                           std::vector<std::string>& problems) {
  const executive::VariableNames names(
      [&rig](const std::string& name, std::string& why) -> std::optional<executive::VariableRef> {
        const auto ref = rig.find(name, why);
        if (!ref) return std::nullopt;
        return executive::VariableRef{rig.variables()[ref->variable].variable, ref->first, ref->elements,
                                      ref->indexed};
      });
  config::ExpressionBuilder builder(names, {.tick = rig.facts().frame});
  std::vector<config::ExpressionProblem> mistakes;
  std::optional<config::ExpressionValue> value;
  try {
    value = builder.add(config::parse_expression(text), mistakes);
  } catch (const config::ExpressionError& error) {
    mistakes.push_back(error.problem());
  }
  for (const config::ExpressionProblem& mistake : mistakes)
    if (!mistake.message.empty()) problems.push_back(mistake.text(text));
  if (!value || !mistakes.empty()) return nullptr;
  std::vector<LiveRef> refs;
  std::vector<tactus_type> types;
  for (const executive::VariableRef& ref : names.variables()) {
    const auto& all = rig.variables();
    const auto found =
        std::ranges::find_if(all, [&](const auto& each) { return each.variable == ref.variable; });
    refs.push_back({static_cast<std::size_t>(found - all.begin()), ref.first, 1, ref.indexed});
    types.push_back(ref.variable->type);
  }
  const std::string unit = value->type == CellType::truth ? "" : value->unit.text();
  return std::shared_ptr<WatchedExpression>(new WatchedExpression(builder.take(), value->type, value->cell,
                                                                  unit, std::move(refs), std::move(types)));
}

const char* WatchedExpression::type() const {
  return type_ == CellType::truth ? "bool" : type_ == CellType::whole ? "int64" : "double";
}

std::int64_t WatchedExpression::window_frames() const {
  std::int64_t frames = 0;
  for (const std::int64_t ticks : run_.program().windows) frames += ticks;
  return frames;
}

void WatchedExpression::load(std::size_t ref, const std::byte* value) {
  const config::Cell cell = executive::load_cell(types_[ref], value);
  for (const std::uint32_t to : cells_[ref]) run_.cell(to) = cell;
}

double WatchedExpression::number() const {
  const config::Cell cell = run_.cell(cell_);
  return type_ == CellType::whole ? config::real_of(cell.whole) : cell.real;
}

Json WatchedExpression::json() const {
  const config::Cell cell = run_.cell(cell_);
  switch (type_) {
    case CellType::real:
      return real_json(cell.real);
    case CellType::truth:
      return std::isnan(cell.real) ? Json() : Json(cell.real != 0);
    case CellType::whole:
      break;
  }
  if (cell.whole == config::kNoWhole) return {};
  if (cell.whole >= 0 && cell.whole <= static_cast<config::Wide>(UINT64_MAX))
    return static_cast<std::uint64_t>(cell.whole);
  if (cell.whole < 0 && cell.whole >= static_cast<config::Wide>(INT64_MIN))
    return static_cast<std::int64_t>(cell.whole);
  return static_cast<double>(cell.whole);
}

bool looks_like_expression(std::string_view text) {
  // A product has its star between two values; a pattern begins or ends with it.
  const std::size_t star = text.find('*');
  const bool product = star != std::string_view::npos && star > 0 && !text.ends_with('*');
  return product || text.find_first_of(" ()<>=!+/^") != std::string_view::npos || text.starts_with('-');
}

RowLayout layout_of(const LiveRig& rig, const std::vector<Named>& names) {
  RowLayout layout;
  std::vector<std::size_t> places;  // of each of layout.refs
  const auto place_of = [&](const LiveRef& ref, bool anew) {
    const std::size_t size = executive::size_of(rig.variables()[ref.variable].variable->type);
    for (std::size_t i = 0; i < layout.refs.size() && !anew; ++i) {
      const LiveRef& known = layout.refs[i];
      if (known.variable == ref.variable && known.first <= ref.first &&
          ref.first + ref.elements <= known.first + known.elements)
        return places[i] + (ref.first - known.first) * size;
    }
    layout.refs.push_back(ref);
    places.push_back(layout.bytes);
    layout.bytes += ref.elements * size;
    return places.back();
  };
  for (const Named& one : names)  // as a client has named them: one behind the other
    layout.offsets.push_back(one.expression ? 0 : place_of(one.ref, true));
  for (const Named& one : names) {
    auto& inputs = layout.inputs.emplace_back();
    if (!one.expression) continue;
    for (const LiveRef& ref : one.expression->refs()) inputs.push_back(place_of(ref, false));
  }
  return layout;
}

void run_expressions(const std::vector<Named>& names, const RowLayout& layout, const std::byte* values) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].expression) continue;
    WatchedExpression& expression = *names[i].expression;
    for (std::size_t ref = 0; ref < layout.inputs[i].size(); ++ref)
      expression.load(ref, values + layout.inputs[i][ref]);
    expression.run();
  }
}

void begin_anew(const std::vector<Named>& names) {
  for (const Named& one : names)
    if (one.expression) one.expression->begin_anew();
}

Json value_in(const LiveRig& rig, WatchedExpression& expression, const executive::LiveSnapshot& snapshot) {
  for (std::size_t i = 0; i < expression.refs().size(); ++i) {
    const LiveRef& ref = expression.refs()[i];
    const executive::LiveVariable& live = rig.variables()[ref.variable];
    expression.load(
        i, snapshot.bytes.data() + live.offset + ref.first * executive::size_of(live.variable->type));
  }
  expression.run();
  return expression.json();
}

ExpressionTap::ExpressionTap(const LiveRig& rig, const std::vector<Named>& names,
                             std::unique_ptr<executive::LiveFrames> frames)
    : rig_(rig), names_(with_past(names)), layout_(layout_of(rig, names_)), frames_(std::move(frames)) {}

std::vector<Named> ExpressionTap::with_past(const std::vector<Named>& names) {
  std::vector<Named> some;
  for (const Named& one : names)
    if (one.expression && one.expression->past() > 0) some.push_back(one);
  return some;
}

Json ExpressionTap::values() const {
  Json all = Json::object();
  for (const Named& one : names_) all[one.name] = one.expression->json();
  return all;
}

void ExpressionTap::catch_up(std::optional<std::int64_t> wanted) {
  for (auto row = frames_->front(); row; row = frames_->front()) {
    if (last_ && (row->frame != *last_ + 1 || row->number != number_ + 1)) begin_anew(names_);
    last_ = row->frame;
    number_ = row->number;
    run_expressions(names_, layout_, row->values);
    frames_->release();
    if (row->frame == wanted) found_ = values();
  }
}

Json ExpressionTap::values_of(const executive::LiveSnapshot& snapshot) {
  found_.reset();
  if (last_ == snapshot.frame) found_ = values();
  catch_up(snapshot.frame);
  if (found_) return *std::exchange(found_, std::nullopt);
  if (snapshot.frame >= 0 && snapshot.rig.state != executive::State::pause) return Json::object();
  // No frame came here yet, or the rig went elsewhere while no frame runs: the frame of the snapshot is the first one.
  Json all = Json::object();
  for (const Named& one : names_) {
    one.expression->begin_anew();
    all[one.name] = value_in(rig_, *one.expression, snapshot);
    one.expression->begin_anew();
  }
  last_.reset();
  return all;
}

}  // namespace tactus::drivers::live_http
