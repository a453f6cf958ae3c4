// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/settings.hpp"

#include <chrono>

#include "config/rules.hpp"
#include "executive/campaign/draw/points.hpp"

namespace tactus::campaign {
namespace {

using config::Context;
using config::Node;
using config::Shape;
using config::Type;
using namespace std::chrono_literals;

constexpr std::int64_t kMostDraws = 1'000'000'000;

/// A map from keys of the rig file to what they vary in. A list is short for { list: [...] }.
struct VaryRule {
  template <class V>
  requires std::same_as<V, std::vector<VarySettings>> Type<V> type()
  const {
    const Type<VarySettings> inner = vary_fields().type<VarySettings>();
    Type<V> type;
    type.shape = std::make_shared<const Shape>(Shape{
        .form = Shape::Form::map_of, .type = "map", .noun = "key of the rig file", .item = inner.shape});
    type.reads([inner, shape = type.shape](const Node& node, const Context& context, V& values) {
      if (!config::expect(config::Kind::map, node, context, *shape)) return false;
      for (const Node::Entry& entry : node.entries()) {
        const Context inside = context.key(entry.key);
        VarySettings value{};
        if (entry.value.is_list()) {
          value.origin = {entry.value.place(), inside.path()};
          value.list = entry.value;
        } else {
          const std::size_t before = context.problems().count();
          inner.read(entry.value, inside.also("; or a list of values"), value);
          value.misread = context.problems().count() > before;
        }
        value.name = {entry.key, entry.place, inside.path()};
        values.push_back(std::move(value));
      }
      return true;
    });
    type.writes([inner](const V& values) {
      std::vector<Node::Entry> entries;
      for (const VarySettings& value : values) entries.push_back({value.name.value, {}, inner.write(value)});
      return Node::map(std::move(entries));
    });
    return type;
  }
};

const config::Fields<CasesKeys>& cases_fields() {
  using C = CasesKeys;
  static const config::Fields<C> fields{
      "How the sets of values are chosen: one of the first five.",
      {
          config::located<C>(&C::origin),
          config::optional("matrix", &C::matrix, "every combination of all lists"),
          config::optional("latin_hypercube", &C::latin_hypercube, config::count("cases", 1, kMostDraws),
                           "this number of sets; each key has one value in each of as many equal parts"),
          config::optional("sobol", &C::sobol, config::count("cases", 1, SobolPoints::kMostPoints),
                           "this number of points of Sobol's sequence; powers of 2 fill the space evenly"),
          config::optional("monte_carlo", &C::monte_carlo, config::count("cases", 1, kMostDraws),
                           "this number of independent draws"),
          config::optional("list", &C::list, "sets of values, each a map from keys to values"),
          config::optional("seed", &C::seed, "another one draws other values"),
          config::optional("scramble", &C::scramble, "no: Sobol's points as they are in tables"),
          config::optional(
              "until_sure", &C::until_sure,
              "end once the pass rate is known, as `0.95 of 'follows' +- 2 %`; monte_carlo alone"),
      }};
  return fields;
}

/// `cases: matrix` is short for { matrix: yes }.
struct CasesRule {
  template <class V>
  requires std::same_as<V, CasesKeys> Type<V> type()
  const {
    Type<V> type = cases_fields().type<V>();
    type.read_at = [inner = type.read_at](const Node& node, const Context& context, void* value) {
      auto& keys = *static_cast<CasesKeys*>(value);
      keys.origin = {node.place(), context.path()};
      if (node.is_scalar() && node.text() == "matrix") {
        keys.matrix = true;
        return true;
      }
      const std::size_t before = context.problems().count();
      const bool read = inner(node, context.also("; or matrix"), value);
      keys.misread = context.problems().count() > before;
      return read;
    };
    return type;
  }
};

const config::Fields<SearchKeys>& bisect_fields() {
  using S = SearchKeys;
  static const config::Fields<S> fields{
      "Look for the border between pass and fail in one key, instead of running all cases.",
      {
          config::located<S>(&S::origin),
          config::required("key", &S::key, "the key of `vary:`, or its last parts"),
          config::optional(
              "within", &S::within,
              "end at a range as narrow as this, as `0.1 mrad`; without it a 256th of what the key "
              "varies in"),
          config::optional("case", &S::number, "the case whose other values, rig and test are taken"),
      }};
  return fields;
}

const config::Fields<SearchKeys>& minimise_fields() {
  using S = SearchKeys;
  static const config::Fields<S> fields{
      "Find the smallest set of faults and values with which a case still fails, instead of running all "
      "cases.",
      {
          config::located<S>(&S::origin),
          config::optional("case", &S::number, "the case to start from"),
      }};
  return fields;
}

/// A section that knows whether it is there.
struct SearchRule {
  const config::Fields<SearchKeys>& (*fields)();

  template <class V>
  requires std::same_as<V, SearchKeys> Type<V> type()
  const {
    Type<V> type = fields().template type<V>();
    type.read_at = [inner = type.read_at](const Node& node, const Context& context, void* value) {
      static_cast<SearchKeys*>(value)->given = true;
      return inner(node, context, value);
    };
    return type;
  }
};

const config::Fields<EachKeys>& each_fields() {
  using E = EachKeys;
  static const config::Fields<E> fields{
      "What holds for each case.",
      {
          config::optional("timeout", &E::timeout, config::range(1ms, config::Nanoseconds::max()),
                           "end a case that takes longer on the clock of the machine"),
          config::optional(
              "retry", &E::retry,
              "how often a case is repeated, as `2 if spoiled` (late by a cause that is not the rig's) or "
              "`1 if failed`"),
      }};
  return fields;
}

}  // namespace

const config::Fields<VarySettings>& vary_fields() {
  using V = VarySettings;
  static const config::Fields<V> fields{
      "What a key of the rig file varies in: a list of values, or one of these.",
      {
          config::located<V>(&V::origin),
          config::optional("list", &V::list, "values, each as likely as any other"),
          config::optional("discrete", &V::discrete, "a map from values to their weights"),
          config::optional("uniform", &V::uniform, "[low, high]"),
          config::optional("log_uniform", &V::log_uniform, "[low, high]: the logarithm is uniform"),
          config::optional("normal", &V::normal, "{ mean, sigma }; sigma in the unit, or in % of the mean"),
          config::optional("lognormal", &V::lognormal,
                           "{ median, sigma }; sigma is that of the natural logarithm: 0.1 or 10 %"),
          config::optional("triangular", &V::triangular, "[low, most likely, high]"),
          config::optional("within", &V::within, "[low, high]: what is outside is never drawn"),
          config::optional("round", &V::round, "round what is drawn to whole multiples of this"),
      }};
  return fields;
}

const config::Fields<CampaignKeys>& campaign_fields() {
  using C = CampaignKeys;
  static const config::Fields<C> fields{
      "Many runs of a rig: which rigs and tests, and what varies.",
      {
          config::located<C>(&C::origin),
          config::required("campaign", &C::campaign, config::length(1, 200), "the name"),
          config::optional("about", &C::about, "what it shows"),
          config::optional("rig", &C::rig, "a rig file, or a list of them"),
          config::optional("rigs", &C::rigs, "the same"),
          config::optional("test", &C::test, "a file of a test, or a list of them"),
          config::optional("tests", &C::tests, "the same"),
          config::optional("realtime", &C::realtime, "yes: in real time, never two cases on one set of CPUs"),
          config::optional(
              "cpus", &C::cpus,
              "with `realtime: yes`: sets of CPUs, as `[[2, 3], [4, 5]]`, each of which runs one case at "
              "a time; `auto`: the free isolated CPUs, as many for each case as its rig has threads; "
              "without it one case at a time, on any CPU"),
          config::optional("set", &C::set,
                           "values that all cases have: a map from keys of the rig file to values"),
          config::optional("vary", &C::vary, VaryRule{}, "what varies"),
          config::optional("cases", &C::cases, CasesRule{}, "how the sets of values are chosen"),
          config::optional("repeat", &C::repeat, config::range(1, 1'000'000), "how often each case is run"),
          config::optional(
              "exclude", &C::exclude,
              "conditions over what varies, as `supply == 22 V and frame.period > 0.6 ms`, or maps from "
              "keys to values: cases for which one holds are left out"),
          config::optional("measure", &C::measure, "columns of the results: a map from names to expressions"),
          config::optional("each", &C::each, each_fields(), "what holds for each case"),
          config::optional("bisect", &C::bisect, SearchRule{&bisect_fields},
                           "the border between pass and fail in one key"),
          config::optional("minimise", &C::minimise, SearchRule{&minimise_fields},
                           "the smallest set of faults and values that still fails"),
          config::optional("slurm", &C::slurm, slurm_fields(), "how `--on slurm` runs them"),
      }};
  return fields;
}

}  // namespace tactus::campaign
