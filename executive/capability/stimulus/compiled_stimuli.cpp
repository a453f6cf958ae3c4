// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/compiled_stimuli.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <utility>

#include "config/expression_builder.hpp"
#include "config/number.hpp"
#include "config/quantity.hpp"
#include "config/text.hpp"
#include "executive/capability/stimulus/recorded_points.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "executive/model/model_overlay.hpp"
#include "executive/model/parameter_value.hpp"
#include "rtsync/joined.hpp"

namespace tactus::executive {
namespace {

using config::Node;
using SegmentShape = StimulusSegment::Shape;

/// The shapes of a segment by their keys.
constexpr std::pair<const char*, Node SegmentSettings::*> kShapes[] = {
    {"hold", &SegmentSettings::hold},
    {"step", &SegmentSettings::step},
    {"ramp", &SegmentSettings::ramp},
    {"sine", &SegmentSettings::sine},
    {"chirp", &SegmentSettings::chirp},
    {"square", &SegmentSettings::square},
    {"prbs", &SegmentSettings::prbs},
    {"noise", &SegmentSettings::noise},
    {"table", &SegmentSettings::table},
    {"recording", &SegmentSettings::recording},
    {"expression", &SegmentSettings::expression},
};

/// Compiles one stimulus.
class StimulusCompiler {
 public:
  StimulusCompiler(const Draft& draft, CompiledStimulus& made)
      : draft_(draft), problems_(draft.problems), made_(made), element_(*made.ref.variable) {
    element_.count = element_.columns = 0;
  }

  void add(const Node& node, const std::string& path, bool last) {
    const std::size_t before = problems_.count();
    const SegmentSettings settings = segment_fields().load(node, path, problems_);
    if (problems_.count() != before) return;
    StimulusSegment& segment = made_.segments.emplace_back();
    if (settings.lasting) segment.length_ns = settings.lasting->count();
    segment.holds = settings.holds || !is_real(element_.type);
    if (!read_shape(node, path, settings, segment)) return;
    if (segment.length_ns == StimulusSegment::kForEver && (!last || made_.loop))
      problems_.add(node.place(), path,
                    std::string("needs 'for', how long it is: ") +
                        (last ? "the stimulus is in a loop" : "another segment follows"));
  }

 private:
  bool complain(const Node& at, const std::string& path, const std::string& why) {
    problems_.add(at.place(), path, why);
    return false;
  }

  bool read_shape(const Node& node, const std::string& path, const SegmentSettings& s, StimulusSegment& to) {
    const auto is_given = [&s](const auto& shape) { return !(s.*shape.second).is_null(); };
    const auto number = std::ranges::count_if(kShapes, is_given);
    const auto* const given = std::ranges::find_if(kShapes, is_given);
    if (number != 1)
      return complain(node, path,
                      "expects one of " +
                          rtsync::joined(kShapes, ", ", [](const auto& shape) { return shape.first; }) +
                          "; " + std::to_string(number) + " are given");
    const std::string word = given->first;
    const Node& is = s.*given->second;
    const std::string here = path + "." + word;
    if (word == "hold" || word == "step") return value(is, here, to.to, &to.to_bits);
    if (word == "ramp") return read_ramp(is, here, to);
    if (word == "table") return read_table(is, here, to);
    if (word == "expression") return read_expression(is, here, to);
    if (!is.is_map())
      return complain(is, here, std::string("expected a map, found ") + config::kind_name(is.kind()));
    if (word == "recording") return read_recording(is, here, to);
    if (word == "square" || word == "prbs")
      return word == "square" ? read_square(is, here, to) : read_prbs(is, here, to);
    if (!is_real(element_.type))
      return complain(is, here,
                      "'" + made_.ref.name() + "' is of type " + std::string(name_of(element_.type)) +
                          ", which has no " + word + "; write hold, square, prbs, or a table");
    if (word == "sine") return read_sine(is, here, to);
    return word == "chirp" ? read_chirp(is, here, to) : read_noise(is, here, to);
  }

  /// Refuses other keys.
  bool knows(const Node& map, const std::string& path, const std::vector<std::string>& keys,
             std::initializer_list<const char*> needed) {
    bool good = true;
    for (const Node::Entry& entry : map.entries())
      if (std::ranges::find(keys, entry.key) == keys.end()) {
        problems_.add(entry.place, path + "." + entry.key, "unknown key; " + config::hint(entry.key, keys));
        good = false;
      }
    for (const char* const key : needed)
      if (map.find(key) == nullptr) {
        problems_.add(map.place(), path, std::string("missing key '") + key + "'");
        good = false;
      }
    return good;
  }

  bool value(const Node& node, const std::string& path, double& to, std::uint64_t* in_memory = nullptr) {
    if (is_real(element_.type)) {
      if (!quantity(node, path, element_.unit, to)) return false;
      if (in_memory != nullptr) *in_memory = overlay_bits(element_.type, to);
      return true;
    }
    const auto bytes = read_value(element_, node, path, problems_);
    if (!bytes) return false;
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes->data(), bytes->size());
    to = overlay_number(element_.type, bits);
    if (in_memory != nullptr) *in_memory = bits;
    return true;
  }
  bool quantity(const Node& node, const std::string& path, const config::Unit& unit, double& to) {
    const auto number = config::read_quantity(node, path, unit, problems_);
    if (!number) return false;
    if (!std::isfinite(*number)) return complain(node, path, "is not a finite number");
    to = *number;
    return true;
  }
  /// Reads the value of a key that may be missing.
  bool part(const Node& map, const std::string& path, const char* key, const config::Unit& unit, double& to) {
    const Node* const node = map.find(key);
    return node == nullptr || quantity(*node, path + "." + key, unit, to);
  }
  bool level(const Node& map, const std::string& path, const char* key, double& to,
             std::uint64_t* in_memory = nullptr) {
    const Node* const node = map.find(key);
    return node == nullptr || value(*node, path + "." + key, to, in_memory);
  }
  bool amplitude(const Node& map, const std::string& path, const char* key, double& to) {
    return part(map, path, key, element_.unit.without_zero_point(), to);
  }
  bool frequency(const Node& map, const std::string& path, const char* key, double& to) {
    if (!part(map, path, key, config::Unit::parse("Hz"), to)) return false;
    const double most = 0.5 / draft_.plan.frame.seconds();
    const Node* const node = map.find(key);
    if (node == nullptr || (to > 0 && to <= most)) return true;
    return complain(*node, path + "." + key,
                    config::show(node->text()) + " is not above 0 Hz and at most " +
                        config::print_real(most) + " Hz, half of the frames in a second");
  }
  bool time(const Node& node, const std::string& path, std::int64_t& to) {
    double seconds = 0;
    if (!quantity(node, path, config::Unit::parse("s"), seconds)) return false;
    if (seconds < 0 || seconds > 1e9) return complain(node, path, "is outside of 0 s .. 1e9 s");
    to = std::llround(seconds * 1e9);
    return true;
  }
  bool seed(const Node& map, const std::string& path, std::uint64_t& to) {
    const Node* const node = map.find("seed");
    if (node == nullptr) return true;
    double number = 0;
    if (!quantity(*node, path + ".seed", config::Unit{}, number)) return false;
    if (number < 0 || number > 9e15 || number != std::floor(number))
      return complain(*node, path + ".seed", "is not a whole number from 0 to 9e15");
    to = static_cast<std::uint64_t>(number);
    return true;
  }

  bool read_ramp(const Node& node, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::ramp;
    if (to.length_ns == StimulusSegment::kForEver) return complain(node, path, "needs 'for', how long it is");
    if (!is_real(element_.type))
      return complain(node, path,
                      "'" + made_.ref.name() + "' is not a real number, and has no ramp; write a table");
    if (!node.is_list()) return value(node, path, to.to);
    to.from_entry = false;
    if (node.items().size() != 2) return complain(node, path, "expected one value, or [ from, to ]");
    return value(node.items()[0], path + "[0]", to.from) && value(node.items()[1], path + "[1]", to.to);
  }

  bool read_sine(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::sine;
    return knows(is, path, {"amplitude", "frequency", "phase", "offset"}, {"amplitude", "frequency"}) &&
           amplitude(is, path, "amplitude", to.size) && frequency(is, path, "frequency", to.frequency) &&
           part(is, path, "phase", config::Unit::parse("rad"), to.phase) &&
           level(is, path, "offset", to.mean);
  }

  bool read_chirp(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::chirp;
    if (to.length_ns == StimulusSegment::kForEver) return complain(is, path, "needs 'for', how long it is");
    if (!knows(is, path, {"amplitude", "from", "to", "offset", "sweep"}, {"amplitude", "from", "to"}) ||
        !amplitude(is, path, "amplitude", to.size) || !frequency(is, path, "from", to.frequency) ||
        !frequency(is, path, "to", to.until) || !level(is, path, "offset", to.mean))
      return false;
    const Node* const sweep = is.find("sweep");
    if (sweep == nullptr || sweep->text() == "linear") return true;
    to.exponential = true;
    return sweep->text() == "exponential" ||
           complain(*sweep, path + ".sweep", "is neither 'linear' nor 'exponential'");
  }

  bool read_square(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::square;
    if (!knows(is, path, {"low", "high", "frequency", "duty"}, {"high", "frequency"}) ||
        !level(is, path, "low", to.from, &to.from_bits) || !level(is, path, "high", to.to, &to.to_bits) ||
        !frequency(is, path, "frequency", to.frequency))
      return false;
    if (is.find("duty") == nullptr) return true;
    return part(is, path, "duty", config::Unit{}, to.duty) &&
           ((to.duty >= 0 && to.duty <= 1) ||
            complain(*is.find("duty"), path + ".duty", "is outside of 0 .. 1, or 0 % .. 100 %"));
  }

  bool read_prbs(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::prbs;
    double order = 9;
    std::uint64_t first = 0;
    if (!knows(is, path, {"low", "high", "interval", "order", "seed"}, {"high", "interval"}) ||
        !level(is, path, "low", to.from, &to.from_bits) || !level(is, path, "high", to.to, &to.to_bits) ||
        !time(*is.find("interval"), path + ".interval", to.interval_ns) || !seed(is, path, first) ||
        !part(is, path, "order", config::Unit{}, order))
      return false;
    if (to.interval_ns <= 0) return complain(*is.find("interval"), path + ".interval", "must be above 0");
    const double orders[] = {2, 3, 4, 5, 6, 7, 9, 10, 11, 15};
    if (std::ranges::find(orders, order) == std::end(orders))
      return complain(*is.find("order"), path + ".order", "is not one of 2, 3, 4, 5, 6, 7, 9, 10, 11, 15");
    to.sequence = binary_sequence(static_cast<int>(order), first);
    return true;
  }

  bool read_noise(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::noise;
    std::uint64_t number = 0;
    double band = 0;
    if (!knows(is, path, {"mean", "sigma", "band", "seed"}, {"sigma"}) || !level(is, path, "mean", to.mean) ||
        !amplitude(is, path, "sigma", to.size) || !frequency(is, path, "band", band) ||
        !seed(is, path, number))
      return false;
    if (to.size < 0) return complain(*is.find("sigma"), path + ".sigma", "is below 0");
    to.random = CounterRandom(number);
    if (band > 0) to.memory = std::exp(-2 * std::numbers::pi * band * draft_.plan.frame.seconds());
    return true;
  }

  bool read_table(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::points;
    if (!is.is_list() || is.items().empty())
      return complain(is, path, "expected a list of points, [ [ time, value ], ... ]");
    for (std::size_t i = 0; i < is.items().size(); ++i) {
      const Node& point = is.items()[i];
      const std::string here = path + "[" + std::to_string(i) + "]";
      auto& [at, level] = to.points.emplace_back();
      if (!point.is_list() || point.items().size() != 2)
        return complain(point, here, "expected [ time, value ]");
      if (!time(point.items()[0], here + "[0]", at) ||
          !value(point.items()[1], here + "[1]", level, &to.point_bits.emplace_back()))
        return false;
      if (i > 0 && at <= to.points[i - 1].first)
        return complain(point, here, "is not after the point before it; times rise from point to point");
    }
    return ends_with_points(is, path, to);
  }

  bool ends_with_points(const Node& is, const std::string& path, StimulusSegment& to) {
    if (to.length_ns == StimulusSegment::kForEver) to.length_ns = to.points.back().first;
    return to.length_ns > 0 || complain(is, path, "has one moment only; add 'for', how long it is");
  }

  bool read_recording(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::points;
    if (!knows(is, path, {"file", "column", "from"}, {"file", "column"})) return false;
    std::int64_t from_ns = 0;
    if (const Node* const from = is.find("from"); from != nullptr && !time(*from, path + ".from", from_ns))
      return false;
    const Node& file = *is.find("file");
    std::filesystem::path where = file.text();
    if (where.is_relative()) {
      const auto beside = std::filesystem::path(file.place().file).parent_path() / where;
      where = std::filesystem::exists(beside) ? beside : draft_.base / where;
    }
    std::string why;
    to.points = recorded_points(where, is.find("column")->text(), element_, from_ns, to.point_bits, why);
    return why.empty() ? ends_with_points(is, path, to) : complain(is, path, why);
  }

  bool read_expression(const Node& is, const std::string& path, StimulusSegment& to) {
    to.shape = SegmentShape::expression;
    const VariableNames names(std::bind_front(&Draft::look_up, &draft_));
    config::ExpressionBuilder builder(names, {.tick = draft_.plan.frame, .once = true});
    std::vector<config::ExpressionProblem> wrong;
    std::optional<config::ExpressionValue> value;
    try {
      value = builder.add(config::parse_expression(is.text()), wrong);
    } catch (const config::ExpressionError& error) {
      wrong.push_back(error.problem());
    }
    for (const config::ExpressionProblem& problem : wrong)
      if (!problem.message.empty()) problems_.add(is.place(), path, problem.text(is.text()));
    if (!value) return false;
    StimulusExpression made;
    try {
      const config::Unit& unit = element_.unit;
      made.offset = config::convert(0, value->unit, unit);
      made.gain = config::convert(1, value->unit, unit) - made.offset;
    } catch (const std::exception& error) {
      return complain(is, path, error.what());
    }
    made.cell = value->cell;
    made.whole = value->type == config::CellType::whole;
    made.program = builder.take();
    for (const config::ProgramInput& input : made.program.inputs)
      made.inputs.push_back(names.variables()[input.key]);
    to.expression = made_.expressions.size();
    made_.expressions.push_back(std::move(made));
    return true;
  }

  const Draft& draft_;
  config::Problems& problems_;
  CompiledStimulus& made_;
  Variable element_;  // one element of the variable
};

void compile_stimulus(const Draft& draft, const Node::Entry& entry, std::vector<CompiledStimulus>& all) {
  config::Problems& problems = draft.problems;
  const std::string path = "stimuli." + entry.key;
  StimulusSettings settings;
  const bool bare =
      entry.value.is_list() || (entry.value.is_map() && std::ranges::any_of(kShapes, [&](const auto& shape) {
                                  return entry.value.find(shape.first) != nullptr;  // written without a list
                                }));
  const std::size_t before = problems.count();
  if (!bare) settings = stimulus_fields().load(entry.value, path, problems);
  if (problems.count() != before) return;
  const auto complain = [&](const std::string& why) { problems.add(entry.place, path, why); };
  const bool by_event = !settings.event.value.empty();
  if (by_event && (settings.at || settings.frame || settings.switched))
    return complain("begins with an event; remove 'at', 'frame' and 'switched', or 'event'");
  if (settings.at && settings.frame) return complain("has both 'at' and 'frame'; remove one of them");
  if (settings.switched && (settings.at || settings.frame))
    return complain(
        "is switched on by its name, so 'at' and 'frame' mean nothing; remove them, or 'switched'");
  CompiledStimulus made{.name = entry.key};
  std::string why;
  const std::string& variable = settings.on.value.empty() ? entry.key : settings.on.value;
  const auto ref = draft.look_up(variable, why);
  if (!ref) {
    if (!why.empty()) complain(why);
    return;
  }
  if (ref->model == nullptr)
    return complain("'" + variable + "' is the executive's own, and can be read only");
  if (ref->variable->is_constant()) return complain("'" + variable + "' " + ref->variable->fixed);
  if (ref->elements != 1)
    return complain("'" + variable + "' is " + describe(*ref) + "; name one of its elements, as " + variable +
                    "[0]");
  for (const CompiledStimulus& other : all) {
    if (other.name == made.name) return complain("there is a stimulus of that name already");
    if (other.ref.variable == ref->variable && other.ref.first == ref->first)
      return complain("'" + variable + "' has a stimulus already, '" + other.name + "'; join their segments");
  }
  made.ref = *ref;
  made.at_ns = settings.at ? settings.at->count() : 0;
  made.frame = settings.frame.value_or(-1);
  made.switched = settings.switched || by_event;
  made.loop = settings.loop;
  made.releases = settings.releases;
  made.blend_ns = settings.blend.count();
  if (made.blend_ns > 0 && !is_real(ref->variable->type))
    return complain("'" + variable + "' is not a real number, and cannot be blended");
  StimulusCompiler compiler(draft, made);
  const Node& segments = bare ? entry.value : settings.segments;
  if (segments.is_map()) {
    compiler.add(segments, path, true);
  } else {
    for (std::size_t i = 0; i < segments.items().size(); ++i)
      compiler.add(segments.items()[i], path + "[" + std::to_string(i) + "]",
                   i + 1 == segments.items().size());
    if (segments.items().empty())
      return complain("has no segments; write for example [ { hold: 1, for: 1 s } ]");
  }
  if (problems.count() == before) all.push_back(std::move(made));
}

}  // namespace

std::vector<CompiledStimulus> compile_stimuli(const Draft& draft, const Node& stimuli) {
  std::vector<CompiledStimulus> all;
  if (!stimuli.is_map() && !stimuli.is_null())
    draft.problems.add(
        stimuli.place(), "stimuli",
        std::string("expected a map of variables, found ") + config::kind_name(stimuli.kind()));
  for (const Node::Entry& entry : stimuli.entries()) compile_stimulus(draft, entry, all);
  return all;
}

}  // namespace tactus::executive
