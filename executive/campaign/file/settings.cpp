// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/settings.hpp"

#include <chrono>

#include "config/rules.hpp"
#include "executive/campaign/draw/points.hpp"

namespace tactus::campaign {
namespace {

using namespace std::chrono_literals;
using namespace config;

constexpr std::int64_t kMostDraws = 1'000'000'000;

/// A map from keys of the rig file to what they vary in. A list is short for { list: [...] }.
struct VaryRule {
  using V = std::vector<VarySettings>;

  Type<V> base() const {
    const Type<VarySettings> inner = vary_fields().type<VarySettings>();
    Type<V> type;
    type.shape = std::make_shared<const Shape>(Shape{
        .form = Shape::Form::map_of, .type = "map", .noun = "key of the rig file", .item = inner.shape});
    type.reads([inner, shape = type.shape](const Node& node, const Context& context, V& values) {
      if (!expect(config::Kind::map, node, context, *shape)) return false;
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

const Fields<CasesKeys>& cases_fields() {
  using C = CasesKeys;
  static const Fields<C> fields{
      "How the sets of values are chosen: one of the first five.",
      {
          located<C>(&C::origin),
          optional("matrix", &C::matrix, "every combination of all lists"),
          optional("latin_hypercube", &C::latin_hypercube, count("cases", 1, kMostDraws),
                   "this number of sets; each key has one value in each of as many equal parts"),
          optional("sobol", &C::sobol, count("cases", 1, SobolPoints::kMostPoints),
                   "this number of points of Sobol's sequence; powers of 2 fill the space evenly"),
          optional("monte_carlo", &C::monte_carlo, count("cases", 1, kMostDraws),
                   "this number of independent draws"),
          optional("list", &C::list, "sets of values, each a map from keys to values"),
          optional("seed", &C::seed, "another one draws other values"),
          optional("scramble", &C::scramble, "no: Sobol's points as they are in tables"),
          optional("until_sure", &C::until_sure,
                   "end once the pass rate is known, as `0.95 of 'follows' +- 2 %`; monte_carlo alone"),
      }};
  return fields;
}

/// `cases: matrix` is short for { matrix: yes }.
struct CasesRule {
  Type<CasesKeys> base() const {
    auto type = cases_fields().type<CasesKeys>();
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

const Fields<SearchKeys>& bisect_fields() {
  using S = SearchKeys;
  static const Fields<S> fields{
      "Look for the border between pass and fail in one key, instead of running all cases.",
      {
          located<S>(&S::origin),
          required("key", &S::key, "the key of `vary:`, or its last parts"),
          optional("within", &S::within,
                   "end at a range as narrow as this, as `0.1 mrad`; without it a 256th of what the key "
                   "varies in"),
          optional("case", &S::number, "the case whose other values, rig and test are taken"),
      }};
  return fields;
}

const Fields<SearchKeys>& minimise_fields() {
  using S = SearchKeys;
  static const Fields<S> fields{
      "Find the smallest set of faults and values with which a case still fails, instead of running all "
      "cases.",
      {
          located<S>(&S::origin),
          optional("case", &S::number, "the case to start from"),
      }};
  return fields;
}

/// A section that knows whether it is there.
struct SearchRule {
  const Fields<SearchKeys>& (*fields)();

  Type<SearchKeys> base() const {
    auto type = fields().type<SearchKeys>();
    type.read_at = [inner = type.read_at](const Node& node, const Context& context, void* value) {
      static_cast<SearchKeys*>(value)->given = true;
      return inner(node, context, value);
    };
    return type;
  }
};

const Fields<EachKeys>& each_fields() {
  using E = EachKeys;
  static const Fields<E> fields{
      "What holds for each case.",
      {
          optional("timeout", &E::timeout, range(1ms, Nanoseconds::max()),
                   "end a case that takes longer on the clock of the machine"),
          optional(
              "retry", &E::retry,
              "how often a case is repeated, as `2 if spoiled` (late by a cause that is not the rig's) or "
              "`1 if failed`"),
      }};
  return fields;
}

}  // namespace

const Fields<VarySettings>& vary_fields() {
  using V = VarySettings;
  static const Fields<V> fields{
      "What a key of the rig file varies in: a list of values, or one of these.",
      {
          located<V>(&V::origin),
          optional("list", &V::list, "values, each as likely as any other"),
          optional("discrete", &V::discrete, "a map from values to their weights"),
          optional("uniform", &V::uniform, "[low, high]"),
          optional("log_uniform", &V::log_uniform, "[low, high]: the logarithm is uniform"),
          optional("normal", &V::normal, "{ mean, sigma }; sigma in the unit, or in % of the mean"),
          optional("lognormal", &V::lognormal,
                   "{ median, sigma }; sigma is that of the natural logarithm: 0.1 or 10 %"),
          optional("triangular", &V::triangular, "[low, most likely, high]"),
          optional("within", &V::within, "[low, high]: what is outside is never drawn"),
          optional("round", &V::round, "round what is drawn to whole multiples of this"),
      }};
  return fields;
}

const Fields<CampaignKeys>& campaign_fields() {
  using C = CampaignKeys;
  static const Fields<C> fields{
      "Many runs of a rig: which rigs and tests, and what varies.",
      {
          located<C>(&C::origin),
          required("campaign", &C::campaign, length(1, 200), "the name"),
          optional("about", &C::about, "what it shows"),
          optional("rig", &C::rig, "a rig file, or a list of them"),
          optional("rigs", &C::rigs, "the same"),
          optional("test", &C::test, "a file of a test, or a list of them"),
          optional("tests", &C::tests, "the same"),
          optional("realtime", &C::realtime, "yes: in real time, never two cases on one set of CPUs"),
          optional(
              "cpus", &C::cpus,
              "with `realtime: yes`: sets of CPUs, as `[[2, 3], [4, 5]]`, each of which runs one case at "
              "a time; `auto`: the free isolated CPUs, as many for each case as its rig has threads; "
              "without it one case at a time, on any CPU"),
          optional("set", &C::set, "values that all cases have: a map from keys of the rig file to values"),
          optional("vary", &C::vary, VaryRule{}, "what varies"),
          optional("cases", &C::cases, CasesRule{}, "how the sets of values are chosen"),
          optional("repeat", &C::repeat, range(1, 1'000'000), "how often each case is run"),
          optional("exclude", &C::exclude,
                   "conditions over what varies, as `supply == 22 V and frame.period > 0.6 ms`, or maps from "
                   "keys to values: cases for which one holds are left out"),
          optional("measure", &C::measure, "columns of the results: a map from names to expressions"),
          optional("each", &C::each, each_fields(), "what holds for each case"),
          optional("bisect", &C::bisect, SearchRule{&bisect_fields},
                   "the border between pass and fail in one key"),
          optional("minimise", &C::minimise, SearchRule{&minimise_fields},
                   "the smallest set of faults and values that still fails"),
          optional("slurm", &C::slurm, slurm_fields(), "how `--on slurm` runs them"),
      }};
  return fields;
}

}  // namespace tactus::campaign
