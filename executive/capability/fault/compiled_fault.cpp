// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/compiled_fault.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "config/quantity.hpp"
#include "config/text.hpp"
#include "executive/model/model_overlay.hpp"
#include "executive/model/parameter_value.hpp"
#include "executive/model/suggest.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/joined.hpp"

namespace tactus::executive {
namespace {

constexpr std::int64_t kMostDelay = 1'000'000;  // frames

std::int64_t frames_up(Nanoseconds time, const rtsync::Period& frame) {
  return std::max<std::int64_t>(1, frame.begun_in(time));
}

/// Compiles one fault.
class FaultCompiler {
 public:
  /// `others`: those before it.
  FaultCompiler(Draft& draft, const config::Node::Entry& entry, const std::vector<CompiledFault>& others)
      : draft_(draft),
        problems_(draft.problems),
        entry_(entry),
        others_(others),
        path_("faults." + entry.key) {}

  std::optional<CompiledFault> compile() {
    const std::size_t before = problems_.count();
    made_.name = entry_.key;
    if (!config::is_name(entry_.key))
      complain(config::show(entry_.key) + " is not a name of letters, digits, '_' and '-'");
    settings_ = fault_fields().load(entry_.value, path_, problems_);
    if (problems_.count() != before) return std::nullopt;
    if (read_kind() && read_target()) {
      if (!made_.refs.empty()) read_amount();
      read_times();
    }
    if (problems_.count() != before) return std::nullopt;
    if (made_.kind == FaultKind::longer) lengthen();
    return std::move(made_);
  }

 private:
  bool complain(const std::string& why) {
    problems_.add(entry_.place, path_, why);
    return false;
  }
  bool complain(const char* key, const std::string& why) {
    const config::Node* const at = entry_.value.find(key);
    problems_.add(at == nullptr ? entry_.place : at->place(), path_ + "." + key, why);
    return false;
  }

  bool read_kind() {
    static constexpr std::pair<const char*, FaultKind> kFaultKinds[] = {
        {"stuck", FaultKind::stuck},         {"offset", FaultKind::offset},
        {"gain", FaultKind::gain},           {"noise", FaultKind::noise},
        {"drift", FaultKind::drift},         {"delay", FaultKind::delay},
        {"dropout", FaultKind::dropout},     {"flip", FaultKind::flip},
        {"quantise", FaultKind::quantise},   {"limit", FaultKind::limit},
        {"swap", FaultKind::swap},           {"longer", FaultKind::longer},
        {"late_edge", FaultKind::late_edge}, {"missing_edge", FaultKind::missing_edge},
        {"silent", FaultKind::silent},       {"does", FaultKind::offered}};
    int given = 0;
    for (const auto& [word, kind] : kFaultKinds)
      if (entry_.value.find(word) != nullptr) {
        made_.what = word;
        made_.kind = kind;
        ++given;
      }
    return given == 1 ||
           complain("expects one of " +
                    rtsync::joined(kFaultKinds, ", ", [](const auto& each) { return each.first; }) + "; " +
                    std::to_string(given) + " are given; write a fault for each");
  }

  bool read_target() {
    made_.target = settings_.on.value;
    for (const CompiledFault& other : others_)
      if (other.name == made_.name) return complain("there is a fault of that name already");
    if (made_.kind == FaultKind::offered) return read_offered();
    if (!settings_.amount.is_null()) return complain("amount", "belongs to a fault with 'does'; remove it");
    if (made_.target == "clock" || is_edge_fault()) return read_clock();
    if (made_.target.starts_with("peer ") || made_.kind == FaultKind::silent) return read_peer();
    const bool job = made_.target.starts_with("job ");
    if (job != (made_.kind == FaultKind::longer))
      return complain("on", job ? "a job has no " + made_.what + "; write 'longer', or name a variable"
                                : "only jobs can be longer; write 'job model.job'");
    if (job) return read_job(made_.target.substr(4));
    if (made_.target.starts_with("link ")) return read_sent();
    if (!read_connection(settings_.on, "on") || !read_connection(settings_.swap, "swap")) return false;
    if (!read_variable(settings_.on, "on")) return false;
    if (made_.kind != FaultKind::swap) return true;
    if (!read_variable(settings_.swap, "swap")) return false;
    const VariableRef& a = made_.refs[0];
    const VariableRef& b = made_.refs[1];
    const auto before_jobs = [](const VariableRef& ref) {
      return ref.variable->role == TACTUS_INPUT || ref.variable->role == TACTUS_PARAMETER;
    };
    if (a.model != b.model || a.variable->type != b.variable->type || a.elements != b.elements ||
        before_jobs(a) != before_jobs(b))
      return complain("swap", "'" + a.name() + "' and '" + b.name() +
                                  "' cannot be swapped: they need the same model, type, size and direction");
    return (a.variable != b.variable || a.first != b.first) ||
           complain("swap", "a variable cannot be swapped with itself");
  }

  bool is_edge_fault() const {
    return made_.kind == FaultKind::late_edge || made_.kind == FaultKind::missing_edge;
  }

  bool is_only_one(const std::string& what) {
    for (const CompiledFault& other : others_)
      if (other.kind == made_.kind && other.target == made_.target)
        return has_another("on", what, other, "it");
    return true;
  }

  /// Complains of another fault of the same kind at the same place.
  bool has_another(const char* key, const std::string& place, const CompiledFault& other, const char* which) {
    return complain(key, place + " has a fault '" + made_.what + "' already, '" + other.name + "'; " + which +
                             " has one of each kind, so remove one of them");
  }

  bool read_clock() {
    if (!is_edge_fault())
      return complain("on", "the clock has no " + made_.what + "; write 'late_edge' or 'missing_edge'");
    if (made_.target != "clock")
      return complain("on", config::show(made_.target) + " has no edges; write 'on: clock'");
    if (made_.kind == FaultKind::missing_edge && !settings_.missing_edge)
      return complain("missing_edge", "'no' is not a fault; write 'yes', or remove the fault");
    if (const std::string why = clock_problem(draft_, settings_.late_edge); !why.empty())
      return complain(
          settings_.late_edge && draft_.rig.settings.clock.driver.value != "internal" ? "late_edge" : "on",
          why);
    made_.late = settings_.late_edge.value_or(rtsync::Nanoseconds{0});
    return is_only_one("the clock");
  }

  bool read_peer() {
    constexpr std::string_view kWord = "peer ";
    if (made_.kind != FaultKind::silent)
      return complain(
          "on", "a peer has no " + made_.what + "; write 'silent: yes', or disturb an input of the link");
    if (!made_.target.starts_with(kWord))
      return complain("on", config::show(made_.target) + " is not a peer; write 'on: peer NAME'");
    if (!settings_.silent) return complain("silent", "'no' is not a fault; write 'yes', or remove the fault");
    const std::string why = find_peer(draft_, made_.target.substr(kWord.size()), made_.received);
    made_.idle = made_.received.empty();
    return why.empty() ? is_only_one("the peer") : complain("on", why);
  }

  bool read_offered() {
    made_.what = settings_.does.value;
    OfferedPlace found;
    if (const std::string why = find_offered(draft_, made_.target, made_.what, found); !why.empty())
      return complain(found.is_kind ? "does" : "on", why);
    made_.device = found.model;
    made_.offer = found.number;
    const OfferedFault& offer = found.offer;
    if (!offer.has_amount) {
      if (!settings_.amount.is_null())
        return complain("amount", "'" + made_.what + "' has no amount; remove it");
    } else if (settings_.amount.is_null()) {
      if (!offer.fallback) return complain("'" + made_.what + "' needs 'amount: " + amount_text(offer) + "'");
      made_.amount = *offer.fallback;
    } else {
      const config::Unit unit = offer.unit.empty() ? config::Unit{} : config::Unit::parse(offer.unit);
      if (!quantity("amount", settings_.amount, unit, made_.amount)) return false;
      if (made_.amount < offer.least || made_.amount > offer.most)
        return complain("amount", "is not " + amount_text(offer));
    }
    for (const CompiledFault& other : others_)
      if (other.device == made_.device && other.offer == made_.offer)
        return has_another("on", "'" + made_.target + "'", other, "it");
    return true;
  }

  bool read_sent() {
    if (draft_.rig.link == nullptr && draft_.link_overrides.off) return made_.idle = true;
    if (!read_sent_variable(settings_.on.value, "on")) return false;
    if (made_.refs.empty()) return made_.idle = true;  // the link was complained of
    if (made_.kind != FaultKind::swap) return true;
    if (!read_sent_variable(settings_.swap.value, "swap")) return false;
    const VariableRef& a = made_.refs[0];
    const VariableRef& b = made_.refs[1];
    if (a.variable->type != b.variable->type || a.elements != b.elements)
      return complain("swap", "'" + a.name() + "' and '" + b.name() +
                                  "' cannot be swapped: they need the same type and size");
    const bool same =
        made_.sent[0].signal == made_.sent[1].signal && made_.sent[0].index == made_.sent[1].index;
    return !(same && a.overlaps(b)) || complain("swap", "a variable cannot be swapped with itself");
  }

  /// Reads "link SIGNAL" or "link SIGNAL.model.variable".
  bool read_sent_variable(const std::string& name, const char* key) {
    constexpr std::string_view kWord = "link ";
    if (!name.starts_with(kWord))
      return complain(key, config::show(name) + " is not what the link sends; write 'link SIGNAL'");
    VariableRef ref;
    SentVariable at;
    const std::string why = find_sent(draft_, std::string_view(name).substr(kWord.size()), ref, at);
    if (!why.empty()) return complain(key, why);
    if (ref.variable == nullptr) return true;
    for (const CompiledFault& other : others_)
      for (std::size_t i = 0; i < other.sent.size(); ++i)
        if (other.kind == made_.kind && other.sent[i].signal == at.signal &&
            other.sent[i].index == at.index && other.refs[i].overlaps(ref))
          return has_another(key, "'" + name + "'", other, "a variable");
    made_.refs.push_back(ref);
    made_.sent.push_back(at);
    return true;
  }

  /// Puts the input of a connection, "connection a.y -> b.u", in its place: a fault of it is one of what it gives there.
  bool read_connection(Located<std::string>& name, const char* key) {
    constexpr std::string_view kWord = "connection ";
    if (!name.value.starts_with(kWord)) return true;
    const auto trimmed = [](std::string_view of) { return std::string(rtsync::trimmed(of, " ")); };
    const std::string_view text = std::string_view(name.value).substr(kWord.size());
    const std::size_t arrow = text.find("->");
    if (arrow == std::string_view::npos)
      return complain(key,
                      config::show(name.value) + " names no connection; write 'connection OUTPUT -> INPUT'");
    const std::string wanted = trimmed(text.substr(0, arrow)) + " -> " + trimmed(text.substr(arrow + 2));
    std::vector<std::string> names;
    for (const Connection& connection : draft_.plan.connections) {
      names.push_back(connection.from.name() + " -> " + connection.to.name());
      if (names.back() != wanted) continue;
      name.value = connection.to.name();
      return true;
    }
    return complain(key, "there is no connection " + config::show(wanted) + did_you_mean(wanted, names));
  }

  bool read_job(const std::string& name) {
    const auto found = std::ranges::find(draft_.plan.jobs, name, &PlannedJob::name);
    if (found == draft_.plan.jobs.end() || found->model == nullptr) {
      std::vector<std::string> names;
      for (const PlannedJob& each : draft_.plan.jobs)
        if (each.model != nullptr) names.push_back(each.name);
      return complain("on", "there is no job '" + name + "'" + did_you_mean(name, names));
    }
    made_.job = static_cast<std::size_t>(found - draft_.plan.jobs.begin());
    for (const CompiledFault& other : others_)
      if (other.kind == FaultKind::longer && other.job == made_.job)
        return complain("on",
                        "job '" + name + "' has a fault already, '" + other.name + "'; remove one of them");
    made_.longer_ns = settings_.longer->count();
    return true;
  }

  bool read_variable(const Located<std::string>& name, const char* key) {
    std::string why;
    const auto ref = draft_.look_up(name.value, why);
    if (!ref) return why.empty() ? false : complain(key, why);
    if (ref->model == nullptr)
      return complain(key, "'" + name.value + "' is the executive's own, and can be read only");
    if (ref->variable->is_constant()) return complain(key, "'" + name.value + "' " + ref->variable->fixed);
    for (const CompiledFault& other : others_)
      for (const VariableRef& each : other.refs)
        if (other.kind == made_.kind && other.sent.empty() && each.overlaps(*ref))
          return has_another(key, "'" + name.value + "'", other, "a variable");
    made_.refs.push_back(*ref);
    return true;
  }

  bool quantity(const char* key, const config::Node& node, const config::Unit& unit, double& to) {
    const auto number = config::read_quantity(node, path_ + "." + key, unit, problems_);
    if (number && !std::isfinite(*number)) return complain(key, "is not a finite number");
    to = number.value_or(0);
    return number.has_value();
  }

  void read_amount() {
    const Variable& variable = *made_.refs[0].variable;
    const config::Unit span = variable.unit.without_zero_point();
    const bool real = is_real(variable.type);
    const auto is = [this](auto... kinds) { return ((made_.kind == kinds) || ...); };
    using enum FaultKind;
    if (is(noise) ? !real : variable.type == TACTUS_BOOL && is(offset, gain, drift, quantise, limit))
      return void(complain(made_.what.c_str(), "'" + made_.target + "' is of type " +
                                                   std::string(name_of(variable.type)) + ", which has no " +
                                                   made_.what));
    switch (made_.kind) {
      case FaultKind::stuck:
        return read_stuck();
      case FaultKind::offset:
        made_.a = 1;
        return void(quantity("offset", settings_.offset, span, made_.b));
      case FaultKind::gain:
        return void(quantity("gain", settings_.gain, config::Unit{}, made_.a));
      case FaultKind::noise:
        if (quantity("noise", settings_.noise, span, made_.b) && made_.b < 0) complain("noise", "is below 0");
        return;
      case FaultKind::drift:
        return read_drift(span);
      case FaultKind::delay:
        made_.delay_frames = frames_up(*settings_.delay, draft_.plan.frame);
        if (made_.delay_frames > kMostDelay)
          complain("delay", "is longer than " + std::to_string(kMostDelay) + " frames");
        return;
      case FaultKind::dropout:
        return read_dropout(real);
      case FaultKind::flip:
        if (*settings_.flip >= static_cast<std::int64_t>(8 * size_of(variable.type)) ||
            (variable.type == TACTUS_BOOL && *settings_.flip > 0))
          complain("flip",
                   std::string(name_of(variable.type)) + " has bits 0 .. " +
                       std::to_string(variable.type == TACTUS_BOOL ? 0 : 8 * size_of(variable.type) - 1));
        made_.bits = std::uint64_t{1} << *settings_.flip;
        return;
      case FaultKind::quantise:
        if (quantity("quantise", settings_.quantise, span, made_.a) && made_.a <= 0)
          complain("quantise", "must be above 0");
        return;
      case FaultKind::limit:
        if (!settings_.limit.is_list() || settings_.limit.items().size() != 2)
          return void(complain("limit", "expected [ least, most ]"));
        if (quantity("limit", settings_.limit.items()[0], variable.unit, made_.a) &&
            quantity("limit", settings_.limit.items()[1], variable.unit, made_.b) && made_.a > made_.b)
          complain("limit", "the least is above the most");
        return;
      case FaultKind::swap:
      case FaultKind::longer:
      case FaultKind::late_edge:
      case FaultKind::missing_edge:
      case FaultKind::silent:
      case FaultKind::offered:
        return;
    }
  }

  void read_stuck() {
    if (settings_.stuck.is_null()) return;
    Variable shape = *made_.refs[0].variable;
    if (made_.refs[0].indexed) shape.count = shape.columns = 0;
    const auto bytes = read_value(shape, settings_.stuck, path_ + ".stuck", problems_);
    if (!bytes) return;
    const std::size_t size = size_of(shape.type);
    for (std::size_t at = 0; at + size <= bytes->size(); at += size) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes->data() + at, size);
      if (!made_.values) made_.values.emplace();
      made_.values->push_back(bits);
    }
  }

  void read_drift(const config::Unit& span) {
    try {
      const config::Unit rate = config::product(span, config::power(config::Unit::parse("s"), -1));
      if (settings_.drift.is_scalar() && rate.text().empty() && span.is_one())
        return void(quantity("drift", settings_.drift, config::Unit::parse("1/s"), made_.b));
      quantity("drift", settings_.drift, rate, made_.b);
    } catch (const std::exception& error) {
      complain("drift", error.what());
    }
  }

  void read_dropout(bool real) {
    const std::string& word = settings_.dropout.text();
    if (word == "holds" || settings_.dropout.is_null()) return;
    made_.dropout = word == "zero" ? CompiledFault::Dropout::zero : CompiledFault::Dropout::nan;
    if (word != "zero" && word != "nan")
      complain("dropout", config::show(word) + " is not one of holds, zero, nan");
    if (word == "nan" && !real)
      complain("dropout", "'" + made_.target + "' is not a real number, and has no nan; write holds or zero");
  }

  void read_times() {
    if (settings_.at && settings_.frame) complain("frame", "has no place beside 'at'; remove one of them");
    if (settings_.at) made_.at_ns = settings_.at->count();
    made_.frame = settings_.frame;
    if (settings_.until) made_.until_ns = settings_.until->count();
    if (settings_.until && settings_.at && *settings_.until <= *settings_.at)
      complain("until", "is not after 'at'");
    const rtsync::Period& frame = draft_.plan.frame;
    if (settings_.until && settings_.frame && *settings_.frame >= frame.begun_in(*settings_.until))
      complain("until", "is not after the beginning of 'frame', so the fault would never act");
    made_.probability = settings_.probability;
    made_.random = CounterRandom(static_cast<std::uint64_t>(settings_.seed), 1);
    if (!settings_.every) {
      if (settings_.lasting) made_.lasting_ns = settings_.lasting->count();
      return;
    }
    made_.every_frames = frames_up(*settings_.every, frame);
    made_.each_frames = settings_.lasting ? frames_up(*settings_.lasting, frame) : 1;
    made_.anywhere = entry_.value.find("seed") != nullptr;
    if (made_.each_frames > made_.every_frames) complain("for", "is longer than 'every'");
  }

  void lengthen() {
    PlannedJob& job = draft_.plan.jobs[made_.job];
    made_.longer_job = std::make_shared<LongerJob>(job.run, job.self);
    job.run = &LongerJob::call;
    job.self = made_.longer_job.get();
  }

  Draft& draft_;
  config::Problems& problems_;
  const config::Node::Entry& entry_;
  const std::vector<CompiledFault>& others_;
  const std::string path_;
  FaultSettings settings_;
  CompiledFault made_;
};

}  // namespace

int LongerJob::run(const tactus_call* call) TACTUS_RT {
  const int status = run_(self_, call);
  const std::int64_t amount = amount_ns.load(std::memory_order_relaxed);
  if (amount == 0) return status;
  const auto until = rtsync::monotonic_now() + rtsync::Nanoseconds(amount);
  while (rtsync::monotonic_now() < until) {
  }
  return status;
}

bool CompiledFault::comes(std::int64_t n) const TACTUS_RT {
  if (every_frames == 0) return !probability || random.uniform(n) < *probability;
  const std::int64_t span = n / every_frames;
  if (probability && random.uniform(span, 1) >= *probability) return false;
  const std::int64_t room = every_frames - each_frames + 1;
  const std::int64_t first =
      anywhere
          ? std::min(room - 1, static_cast<std::int64_t>(random.uniform(span, 2) * static_cast<double>(room)))
          : 0;
  const std::int64_t at = n % every_frames;
  return at >= first && at < first + each_frames;
}

std::vector<CompiledFault> compile_faults(Draft& draft, const config::Node& faults) {
  std::vector<CompiledFault> all;
  if (!faults.is_map() && !faults.is_null())
    draft.problems.add(faults.place(), "faults",
                       std::string("expected a map of names, found ") + config::kind_name(faults.kind()));
  for (const config::Node::Entry& entry : faults.entries())
    if (auto made = FaultCompiler(draft, entry, all).compile()) all.push_back(std::move(*made));
  return all;
}

}  // namespace tactus::executive
