// SPDX-License-Identifier: Apache-2.0
#include "executive/embed/open_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <utility>

#include "config/date.hpp"
#include "config/path.hpp"
#include "executive/capability/live/run_live.hpp"
#include "executive/embed/hosted_run.hpp"
#include "executive/model/suggest.hpp"
#include "executive/model/variable_path.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/joined.hpp"

namespace tactus::executive {
namespace {

LiveRig& live_of(const RigRun& run) { return run.find<RunLive>()->access(); }

using namespace std::chrono_literals;

constexpr auto kLook = 50ms;  // how often somebody who waits looks whether the run is still there

std::string lines(const std::vector<std::string>& problems) { return rtsync::joined(problems, "\n"); }

/// Large integers are rounded.
double as_double(tactus_type type, const std::byte* data) {
  return with_type(type, [&](auto zero) { return static_cast<double>(load_element<decltype(zero)>(data)); });
}

/// Variables of a model, or of the executive itself ("rt"); nullptr: there is no such entity.
const std::deque<Variable>* variables_of(const Rig& rig, const std::string& entity) {
  for (const ModelInstance& model : rig.models())
    if (model.name() == entity) return &model.variables();
  for (const std::deque<Variable>* const own : rig.executive_variables())
    if (!own->empty() && own->front().name.starts_with(entity + ".")) return own;
  return nullptr;
}

/// Tells the states in which frames run.
bool runs_frames(State state) { return state >= State::step_begin && state <= State::step_end; }

/// The end of a run that ended between two episodes.
EpisodeEnd end_between(HostedRun& hosted) {
  const LiveFacts& facts = live_of(hosted.run()).facts();
  EpisodeEnd end{.ended = true, .frame = hosted.run().executive().frames_done() - 1};
  if (end.frame >= 0) end.date = config::print_date(facts.epoch_ns + facts.frame.times(end.frame).count());
  return end;
}

/// Each output gets its value, with the type of its variable.
void hand_out(const std::vector<LiveVariable>& variables, std::vector<LiveValue>& values,
              std::span<EpisodeOutput> out) {
  for (std::size_t i = 0; i < values.size() && i < out.size(); ++i) {
    const LiveRef& ref = values[i].ref;
    const Variable& variable = *variables[ref.variable].variable;
    out[i].type = variable.type;
    out[i].count = ref.indexed ? 0 : variable.count;
    out[i].bytes = std::move(values[i].bytes);
  }
}

}  // namespace

EpisodeError::EpisodeError(std::vector<std::string> problems)
    : std::runtime_error(lines(problems)), problems_(std::move(problems)) {}

double EpisodeOutput::number(std::size_t element) const {
  if (element >= bytes.size() / size_of(type))
    throw std::out_of_range("'" + entity + "." + descriptor + "' has no element " + std::to_string(element) +
                            (bytes.empty() ? ": the run ended before its date" : ""));
  return as_double(type, bytes.data() + element * size_of(type));
}

/// Prepares the rig until it is before its first frame or running: part of the first call.
void OpenSimulation::get_ready(HostedRun& run) {
  run.wait_until_started();
  if (run.failed()) (void)finish();  // throws why
  const auto before = [&] {
    const State now = run.state();
    return now == State::connect || now == State::start;
  };
  while (before() && !run.wait_for(1ms)) {
  }
}

/// Nothing when the run ended before it could answer.
std::optional<EpisodeEnd> OpenSimulation::ask(HostedRun& run, EpisodeRequest request) {
  const auto answer = std::make_shared<std::promise<EpisodeEnd>>();  // it may outlive this call
  std::future<EpisodeEnd> end = answer->get_future();
  live_of(run.run()).episode(std::move(request),
                             [answer](const EpisodeEnd& given) { answer->set_value(given); });
  while (end.wait_for(kLook) != std::future_status::ready)
    if (run.over() && end.wait_for(0s) != std::future_status::ready) return std::nullopt;
  EpisodeEnd given = end.get();
  const State now = run.state();
  const bool ending = now == State::stop || now == State::abort || now == State::disconnect;
  if (!given.problems.empty() && ending) return std::nullopt;
  return given;
}

EpisodeEnd OpenSimulation::run_open(const std::optional<std::string>& stop, std::span<const EpisodeInput> in,
                                    std::span<EpisodeOutput> out) {
  const CallLock turn(*this);
  HostedRun& run = start(true);
  get_ready(run);
  std::optional<EpisodeEnd> end;
  if (!run.over()) end = ask(run, {stop, {in.begin(), in.end()}, {out.begin(), out.end()}, "run_open"});
  if (end && !end->problems.empty()) throw EpisodeError(std::move(end->problems));
  for (EpisodeOutput& one : out) one.bytes.clear();
  if (end) hand_out(live_of(run.run()).variables(), end->out, out);
  if (end && !end->ended) return std::move(*end);
  run.wait();
  if (!end) end = end_between(run);
  const RunEnd last = finish();  // jobs after the last frame may have changed how it ended
  end->outcome = std::string(name_of(last.outcome));
  end->reason = last.reason;
  return std::move(*end);
}

/// A reset or a load, until the rig is in Pause there.
void OpenSimulation::restore_state(const CommandCall& call) {
  const CallLock turn(*this);
  HostedRun& run = start(true);
  get_ready(run);
  // Not one that is on its way there, as by a reset of another client.
  const auto wait_for_rest = [&] {
    while (run.state() != State::pause && !runs_frames(run.state()) && !run.over()) (void)run.wait_for(1ms);
  };
  wait_for_rest();
  const std::string name(name_of(call.command));
  if (const State now = run.state(); runs_frames(now))
    throw EpisodeError({"the rig is in state " + std::string(name_of(now)) + "; a " + name +
                        " begins in Pause: pause it first"});
  const auto answer = std::make_shared<std::promise<std::string>>();  // it may outlive this call
  std::future<std::string> done = answer->get_future();
  std::string why;
  if (!run.over())
    why = live_of(run.run()).give_until_done(
        call, name, [answer](const std::string& problem) { answer->set_value(problem); });
  const bool given = why.empty();
  while (given && done.wait_for(kLook) != std::future_status::ready && !run.over()) {
  }
  if (given && done.wait_for(0s) == std::future_status::ready) why = done.get();
  wait_for_rest();
  if (!run.over()) {
    if (why.empty()) return;
    throw EpisodeError({why});
  }
  run.wait();
  const RunEnd end = finish();
  throw EpisodeError({"the run ended before the " + name + " was done: " + std::string(name_of(end.outcome)) +
                      (end.reason.empty() ? "" : " (" + end.reason + ")")});
}

void OpenSimulation::load_checkpoint(const std::string& name) { restore_state({Command::load, 0, name}); }

void OpenSimulation::reset() { restore_state({Command::reset, 0, {}}); }

RunEnd OpenSimulation::run() {
  (void)run_open();
  return end();
}

EpisodeVariable OpenSimulation::describe(const std::string& entity, const std::string& descriptor) const {
  const auto refuse = [&](const std::string& why) -> EpisodeError {
    return EpisodeError({"'" + entity + "." + descriptor + "': " + why});
  };
  const std::deque<Variable>* const variables = variables_of(rig(), entity);
  if (variables == nullptr)
    throw refuse("there is no entity '" + entity + "'" +
                 did_you_mean(entity, rig().models(), &ModelInstance::name));
  const auto path = VariablePath::parse(descriptor);
  const std::string name = entity + "." + std::string(config::without_indices(descriptor));
  const auto found = std::ranges::find(*variables, name, &Variable::name);
  if (found == variables->end())
    throw refuse("the entity has no such descriptor" + did_you_mean(name, *variables, &Variable::name));
  if (path && !path->index) return {found->type, found->count, found->unit_text};
  std::string wrong = found->count == 0 ? "is not an array"
                                        : "has elements " + index_text(*found, 0) + " .. " +
                                              index_text(*found, found->count - 1);
  if (!path || !path->element_of(*found, wrong)) throw refuse("it " + wrong);
  return {found->type, 0, found->unit_text};
}

}  // namespace tactus::executive
