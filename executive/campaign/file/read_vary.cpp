// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/read_vary.hpp"

#include <algorithm>
#include <cmath>

#include "config/quantity.hpp"
#include "config/text.hpp"
#include "rtsync/joined.hpp"

namespace tactus::campaign {
namespace {

using config::Node;
using config::Problems;
using Kind = Distribution::Kind;

constexpr double kLeastShare = 1e-6;  ///< least share of a distribution that `within:` may leave

bool looks_like_number(const Node& node) {
  return node.is_scalar() && !node.quoted() && !config::split_number(node.text()).number.empty();
}

/// Reads numbers of a key; the first one gives the unit.
class NumberReader {
 public:
  NumberReader(Vary& vary, Problems& problems) : vary_(vary), problems_(problems) {}

  std::optional<double> operator()(const Node* node, const std::string& path,
                                   const config::SourceLocation& place) {
    if (node == nullptr || node->is_null()) {
      problems_.add(place, path, "is missing");
      return std::nullopt;
    }
    if (!has_unit_ && !set_unit(*node, path)) return std::nullopt;
    return config::read_quantity(*node, path, vary_.unit, problems_);
  }

  /// A standard deviation: in the unit, or in % of the mean.
  std::optional<double> deviation(const Node* node, const std::string& path,
                                  const config::SourceLocation& place, double mean) {
    if (node == nullptr || !node->is_scalar()) {
      problems_.add(place, path, "is missing; write for example 5 %");
      return std::nullopt;
    }
    std::optional<double> value;
    if (config::trimmed(config::split_number(node->text()).rest) == "%") {
      if (vary_.unit.has_zero_point() || mean == 0) {
        problems_.add(node->place(), path,
                      config::show(node->text()) + ": a share of this mean means nothing; write it in " +
                          config::show(vary_.unit.without_zero_point().text()));
        return std::nullopt;
      }
      if (const auto share = config::parse_percent(node->text()))
        value = *share.value * std::abs(mean);
      else
        problems_.add(node->place(), path, share.problem);
    } else {
      value = config::read_quantity(*node, path, vary_.unit.without_zero_point(), problems_);
    }
    if (value && !(*value > 0)) {
      problems_.add(node->place(), path, config::show(node->text()) + " is not above zero");
      return std::nullopt;
    }
    return value;
  }

  bool set_unit(const Node& node, const std::string& path) {
    try {
      if (!node.is_scalar())
        throw std::invalid_argument("expected a number with its unit, found " +
                                    std::string(config::kind_name(node.kind())));
      vary_.unit = config::parse_quantity(node.text()).unit;
    } catch (const std::invalid_argument& error) {
      problems_.add(node.place(), path,
                    node.is_scalar() ? config::show(node.text()) + ": " + error.what() : error.what());
      return false;
    }
    return has_unit_ = true;
  }

 private:
  Vary& vary_;
  Problems& problems_;
  bool has_unit_ = false;
};

/// The numbers of a list of that length, [low, high].
std::vector<double> numbers(const Node& node, const std::string& path, const std::vector<std::string>& what,
                            NumberReader& read, Problems& problems) {
  if (!node.is_list() || node.items().size() != what.size()) {
    problems.add(node.place(), path, "expected [" + rtsync::joined(what) + "]");
    return {};
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < what.size(); ++i)
    if (const auto number = read(&node.items()[i], path + "[" + std::to_string(i) + "]", node.place()))
      result.push_back(*number);
  return result.size() == what.size() ? result : std::vector<double>{};
}

bool read_list(const VarySettings& settings, Vary& vary, Problems& problems) {
  const bool weighted = !settings.discrete.is_null();
  const Node& node = weighted ? settings.discrete : settings.list;
  const std::string path = vary.origin.path + (weighted ? ".discrete" : ".list");
  if (weighted ? !node.is_map() || node.entries().empty() : !node.is_list() || node.items().empty()) {
    problems.add(node.place(), path,
                 weighted ? "expected a map from values to weights, as { 22 V: 1, 24 V: 3 }"
                          : "expected a list of values, as [22 V, 24 V]");
    return false;
  }
  std::vector<Node> values = node.items();
  for (const Node::Entry& entry : node.entries()) values.push_back(Node::scalar(entry.key, entry.place));
  // One word makes words of all: "1, 2, measured" are names of choices.
  const bool all_numbers = std::ranges::all_of(values, looks_like_number);
  const std::size_t before = problems.count();
  if (all_numbers) (void)NumberReader(vary, problems).set_unit(values.front(), path + "[0]");
  for (std::size_t i = 0; problems.count() == before && i < values.size(); ++i) {
    Value value;
    if (all_numbers) {
      const auto number =
          config::read_quantity(values[i], path + "[" + std::to_string(i) + "]", vary.unit, problems);
      value = {values[i].text(), number.value_or(0), false};
    } else {
      value = {config::to_flow(values[i]), static_cast<double>(i), true};
    }
    const auto same = std::ranges::find_if(vary.list, [&](const Value& each) {
      return all_numbers ? each.number == value.number : each.text == value.text;
    });
    if (same != vary.list.end())
      problems.add(values[i].place(), path, config::show(value.text) + " is there twice");
    vary.list.push_back(std::move(value));
  }
  vary.distribution.kind = Kind::weights;
  vary.distribution.weights.assign(vary.list.size(), 1);
  for (std::size_t i = 0; weighted && i < node.entries().size(); ++i) {
    const auto weight = config::parse_ratio(node.entries()[i].value.text());
    if (weight && *weight.value > 0)
      vary.distribution.weights[i] = *weight.value;
    else
      problems.add(node.entries()[i].value.place(), path,
                   "a weight is a number above zero, as 3 or 20 %, not " +
                       config::show(node.entries()[i].value.text()));
  }
  return problems.count() == before;
}

/// `normal` and `lognormal`: a map of two keys.
bool read_bell(const Node& node, const std::string& path, const char* middle, bool logarithm, Vary& vary,
               NumberReader& read, Problems& problems) {
  const std::size_t before = problems.count();
  for (const Node::Entry& entry : node.entries())
    if (entry.key != middle && entry.key != "sigma")
      problems.add(entry.place, path + "." + entry.key,
                   "unknown key; " + config::hint(entry.key, {middle, "sigma"}));
  if (!node.is_map())
    problems.add(node.place(), path, "expected { " + std::string(middle) + ": ..., sigma: ... }");
  if (problems.count() != before) return false;
  const auto centre = read(node.find(middle), path + "." + middle, node.place());
  if (!centre) return false;
  vary.distribution.a = *centre;
  if (!logarithm) {
    const auto sigma = read.deviation(node.find("sigma"), path + ".sigma", node.place(), *centre);
    vary.distribution.b = sigma.value_or(1);
    return sigma.has_value();
  }
  const Node* const sigma = node.find("sigma");
  const auto share = config::parse_ratio(sigma == nullptr ? "" : sigma->text());
  if (*centre <= 0) problems.add(node.place(), path, "the median of a lognormal distribution is above zero");
  if (!share || !(*share.value > 0))
    problems.add(sigma == nullptr ? node.place() : sigma->place(), path + ".sigma",
                 "expected the standard deviation of the logarithm, a number above zero such as 0.1 or 10 %");
  vary.distribution.b = share.value.value_or(0);
  return problems.count() == before;
}

bool read_distribution(const VarySettings& s, Vary& vary, NumberReader& read, Problems& problems) {
  Distribution& d = vary.distribution;
  const std::string& path = vary.origin.path;
  const auto range = [&](const Node& node, const char* key, Kind kind) {
    d.kind = kind;
    const std::vector<double> ends = numbers(node, path + "." + key, {"low", "high"}, read, problems);
    if (ends.empty()) return false;
    d.a = ends[0];
    d.b = ends[1];
    const std::size_t before = problems.count();
    if (!(d.a < d.b)) problems.add(node.place(), path + "." + key, "the first value is not below the second");
    if (kind == Kind::log_uniform && !(d.a > 0))
      problems.add(node.place(), path + "." + key,
                   "both values are above zero where the logarithm is uniform");
    return problems.count() == before;
  };
  if (!s.uniform.is_null()) return range(s.uniform, "uniform", Kind::uniform);
  if (!s.log_uniform.is_null()) return range(s.log_uniform, "log_uniform", Kind::log_uniform);
  if (!s.normal.is_null()) {
    d.kind = Kind::normal;
    return read_bell(s.normal, path + ".normal", "mean", false, vary, read, problems);
  }
  if (!s.lognormal.is_null()) {
    d.kind = Kind::lognormal;
    return read_bell(s.lognormal, path + ".lognormal", "median", true, vary, read, problems);
  }
  d.kind = Kind::triangular;
  const std::vector<double> three =
      numbers(s.triangular, path + ".triangular", {"low", "most likely", "high"}, read, problems);
  if (three.empty()) return false;
  d.a = three[0];
  d.c = three[1];
  d.b = three[2];
  if (d.a <= d.c && d.c <= d.b && d.a < d.b) return true;
  problems.add(s.triangular.place(), path + ".triangular", "the three values do not rise");
  return false;
}

bool read_bounds(const VarySettings& s, Vary& vary, NumberReader& read, Problems& problems) {
  Distribution& d = vary.distribution;
  if (!s.within.is_null()) {
    const std::vector<double> ends =
        numbers(s.within, vary.origin.path + ".within", {"low", "high"}, read, problems);
    if (ends.empty()) return false;
    const double share = d.below(ends[1]) - d.below(ends[0]);
    if (!(ends[0] < ends[1]) || share < kLeastShare) {
      problems.add(s.within.place(), vary.origin.path + ".within",
                   ends[0] < ends[1] ? "leaves less than a millionth of the distribution; write a wider range"
                                     : "the first value is not below the second");
      return false;
    }
    d.low = ends[0];
    d.high = ends[1];
  }
  if (s.round.is_null()) return true;
  const auto step =
      config::read_quantity(s.round, vary.origin.path + ".round", vary.unit.without_zero_point(), problems);
  if (step && *step > 0 && std::floor(d.most() / *step) * *step >= d.least()) {
    vary.round = *step;
    return true;
  }
  if (step)
    problems.add(
        s.round.place(), vary.origin.path + ".round",
        config::show(s.round.text()) + (*step > 0 ? " has no multiple in the range" : " is not above zero"));
  return false;
}

}  // namespace

std::optional<Value> read_value(const Node& node, const std::string& path, const Vary& vary,
                                Problems& problems) {
  const bool words = !vary.list.empty() && vary.list.front().is_word;
  if (!words) {
    const auto number = config::read_quantity(node, path, vary.unit, problems);
    if (!number) return std::nullopt;
    return Value{node.text(), *number, false};
  }
  const std::string text = config::to_flow(node);
  std::vector<std::string> known;
  for (const Value& value : vary.list) {
    if (value.text == text) return value;
    known.push_back(value.text);
  }
  problems.add(
      node.place(), path,
      config::show(text) + " is not a value of " + config::show(vary.key) + "; " + config::hint(text, known));
  return std::nullopt;
}

std::optional<Vary> read_vary(const VarySettings& s, Problems& problems) {
  Vary vary{.key = s.name.value, .origin = {s.name.place, s.name.path}};
  const std::vector<const Node*> ways{&s.list,   &s.discrete,  &s.uniform,   &s.log_uniform,
                                      &s.normal, &s.lognormal, &s.triangular};
  const auto given = std::ranges::count_if(ways, [](const Node* node) { return !node->is_null(); });
  if (given == 0 && s.misread) return std::nullopt;
  if (given != 1) {
    problems.add(vary.origin,
                 given == 0
                     ? "says nothing of what it varies in; write a list of values, or uniform: [low, high]"
                     : "varies in one way only; remove the others");
    return std::nullopt;
  }
  const bool listed = !s.list.is_null() || !s.discrete.is_null();
  if (listed) {
    for (const auto& [node, key] : {std::pair{&s.within, ".within"}, std::pair{&s.round, ".round"}})
      if (!node->is_null())
        problems.add(node->place(), vary.origin.path + key, "means nothing to a list of values");
    if (!read_list(s, vary, problems)) return std::nullopt;
  } else {
    NumberReader read(vary, problems);
    if (!read_distribution(s, vary, read, problems) || !read_bounds(s, vary, read, problems))
      return std::nullopt;
  }
  vary.unit_text = vary.unit.text();
  return vary;
}

}  // namespace tactus::campaign
