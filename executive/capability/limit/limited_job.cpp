// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/limit/limited_job.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "config/quantity.hpp"
#include "executive/capability/limit/settings.hpp"
#include "executive/model/model_overlay.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::executive {
namespace {

std::uint64_t bits_at(const VariableRef& ref) TACTUS_RT {
  std::uint64_t bits = 0;
  std::memcpy(&bits, ref.data(), size_of(ref.variable->type));
  return bits;
}

bool is_whole(tactus_type type) TACTUS_RT { return type != TACTUS_DOUBLE && type != TACTUS_FLOAT; }

/// Reads one output's limits.
std::shared_ptr<OutputLimit> compile_limit(Draft& draft, const config::Node::Entry& entry,
                                           const std::string& path, const ModelInstance& model) {
  config::Problems& problems = draft.problems;
  const auto refuse = [&](const std::string& why) {
    problems.add(entry.place, path, why);
    return nullptr;
  };
  std::string why;
  const auto ref = draft.look_up(model.name() + "." + entry.key, why);
  if (!ref) return why.empty() ? nullptr : refuse(why);
  const Variable& variable = *ref->variable;
  if (variable.role != TACTUS_INPUT)
    return refuse("is not an input: only what a model is given can be limited");
  if (ref->elements != 1)
    return refuse("is " + describe(*ref) + "; name one of its elements, as " + entry.key + "[0]");
  if (variable.type == TACTUS_BOOL) return refuse("is yes or no, which has no limit");
  LimitSettings settings;
  if (entry.value.is_list()) {
    if (entry.value.items().size() != 2)
      return refuse("expected [ least, most ], or { least, most, max_rate }");
    settings.least = entry.value.items()[0];
    settings.most = entry.value.items()[1];
  } else {
    settings = limit_fields().load(entry.value, path, problems);
  }
  const auto number = [&](const char* key, const config::Node& node,
                          const config::Unit& unit) -> std::optional<double> {
    if (node.is_null()) return std::nullopt;
    auto read = config::read_quantity(node, path + "." + key, unit, problems);
    if (read && !std::isfinite(*read)) problems.add(node.place(), path + "." + key, "is not a finite number");
    return read;
  };
  const std::size_t before = problems.count();
  const auto least = number("least", settings.least, variable.unit);
  const auto most = number("most", settings.most, variable.unit);
  const auto rate = number(
      "max_rate", settings.max_rate,
      config::product(variable.unit.without_zero_point(), config::power(config::Unit::parse("s"), -1)));
  if (problems.count() != before) return nullptr;
  if (!least && !most && !rate) return refuse("limits nothing; write least, most, or max_rate");
  if (least && most && *least > *most) return refuse("the least is above the most");
  if (rate && *rate <= 0) return refuse("max_rate must be above 0");
  if (is_whole(variable.type) && least && most && std::ceil(*least) > std::floor(*most))
    return refuse("no whole number lies between the least and the most");
  return std::make_shared<OutputLimit>(*ref, least, most, rate, draft.plan.frame);
}

}  // namespace

OutputLimit::OutputLimit(VariableRef ref, std::optional<double> least, std::optional<double> most,
                         std::optional<double> rate, rtsync::Period frame)
    : ref_(ref), least_(least), most_(most), rate_(rate), frame_ns_(frame.floor().count()) {
  kept_[1] = std::bit_cast<std::int64_t>(overlay_number(ref.variable->type, bits_at(ref)));
}

double OutputLimit::limited(double asked, const tactus_call& call) const TACTUS_RT {
  const auto last = std::bit_cast<double>(kept_[1]);
  double given = std::isnan(asked) ? last : asked;
  if (rate_) {
    const std::int64_t passed =
        kept_[0] == 0 ? frame_ns_ : std::max<std::int64_t>(0, call.sim_time_ns - kept_[2]);
    const double most = *rate_ * static_cast<double>(passed) * 1e-9;
    given = std::clamp(given, last - most, last + most);
  }
  if (!is_whole(ref_.variable->type)) {
    if (least_) given = std::max(given, *least_);
    if (most_) given = std::min(given, *most_);
    return given;
  }
  given = given > last ? std::floor(given) : std::ceil(given);  // no limit is passed by rounding
  if (least_) given = std::max(given, std::ceil(*least_));
  if (most_) given = std::min(given, std::floor(*most_));
  return given;
}

std::uint64_t OutputLimit::cut(const tactus_call& call) TACTUS_RT {
  const std::uint64_t asked = bits_at(ref_);
  const double number = overlay_number(ref_.variable->type, asked);
  double given = limited(number, call);
  if (given != number) {
    std::uint64_t bits = overlay_bits(ref_.variable->type, given);
    given = overlay_number(ref_.variable->type, bits);
    std::memcpy(ref_.data(), &bits, size_of(ref_.variable->type));
    count(call, number, given);
    // A whole number that moves by less than one a call waits until that is one.
    const bool waits = rate_ && is_whole(ref_.variable->type) && kept_[0] != 0;
    if (waits && given == std::bit_cast<double>(kept_[1])) return asked;
  }
  kept_ = {1, std::bit_cast<std::int64_t>(given), call.sim_time_ns};
  return asked;
}

void OutputLimit::count(const tactus_call& call, double asked, double given) TACTUS_RT {
  if (first_.load(std::memory_order_relaxed) < 0) {
    asked_.store(asked, std::memory_order_relaxed);
    given_.store(given, std::memory_order_relaxed);
    first_.store(call.frame, std::memory_order_release);
  }
  last_.store(call.frame, std::memory_order_relaxed);
  cuts_.fetch_add(1, std::memory_order_relaxed);
}

void OutputLimit::put_back(std::uint64_t asked) const TACTUS_RT {
  std::memcpy(ref_.data(), &asked, size_of(ref_.variable->type));
}

OutputLimit::Counts OutputLimit::counts() const {
  const std::int64_t first = first_.load(std::memory_order_acquire);
  return {cuts_.load(std::memory_order_relaxed), first, last_.load(std::memory_order_relaxed),
          asked_.load(std::memory_order_relaxed), given_.load(std::memory_order_relaxed)};
}

int LimitedJob::run(const tactus_call& call) TACTUS_RT {
  for (std::size_t i = 0; i < limits_.size(); ++i) asked_[i] = limits_[i]->cut(call);
  const int status = run_(self_, &call);
  for (std::size_t i = 0; i < limits_.size(); ++i) limits_[i]->put_back(asked_[i]);
  return status;
}

PlannedLimits compile_limits(Draft& draft) {
  PlannedLimits made;
  for (const ModelSettings& settings : draft.settings.models) {
    if (settings.limits.is_null()) continue;
    const std::string path = settings.origin.path + ".limits";
    const ModelInstance* const model = draft.find_model(settings.name);
    if (!settings.limits.is_map())
      draft.problems.add(settings.limits.place(), path, "expected a map of inputs: { valve: [ 0 V, 5 V ] }");
    if (model == nullptr || !settings.limits.is_map()) continue;
    std::vector<std::shared_ptr<OutputLimit>> limits;
    for (const config::Node::Entry& entry : settings.limits.entries())
      if (auto limit = compile_limit(draft, entry, path + "." + entry.key, *model))
        limits.push_back(std::move(limit));
    for (PlannedJob& job : draft.plan.jobs) {
      if (job.model != model || limits.empty()) continue;
      const auto& limited = made.jobs.emplace_back(std::make_shared<LimitedJob>(job.run, job.self, limits));
      job.run = &LimitedJob::call;
      job.self = limited.get();
    }
    made.all.insert(made.all.end(), limits.begin(), limits.end());
  }
  return made;
}

}  // namespace tactus::executive
