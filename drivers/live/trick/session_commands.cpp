// SPDX-License-Identifier: Apache-2.0
/// The commands of Trick's variable server: what each takes, and what it does.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "config/text.hpp"
#include "drivers/live/trick/session.hpp"
#include "executive/model/variable.hpp"

namespace tactus::drivers::trick {

using executive::Command;
using executive::CommandCall;

namespace {

constexpr double kLongestCycle = 1e9;  // s
constexpr std::size_t kWrites = 1000;  // of one client that no frame has taken yet
constexpr std::string_view kFiles =
    "files and descriptions of classes are not served; `tactus check` lists the variables, and so does the "
    "control port under /v1/variables";
/// Commands of Trick that are refused, each with the reason.
constexpr std::pair<std::string_view, std::string_view> kRefused[] = {
    {"send_sie_resource", kFiles}, {"send_sie_class", kFiles},
    {"send_sie_enum", kFiles},     {"send_sie_top_level_objects", kFiles},
    {"send_file", kFiles},         {"var_write_stdio", "the rig's output is its log, in the run folder"}};

const std::string& text(const Call& call, std::size_t index) {
  return std::get<std::string>(call.values[index]);
}
std::int64_t whole(const Call& call, std::size_t index) {
  if (const bool* const plain = std::get_if<bool>(&call.values[index])) return *plain ? 1 : 0;
  const Integer integer = std::get<Integer>(call.values[index]);
  constexpr std::uint64_t kMost = INT64_MAX;
  const auto magnitude = static_cast<std::int64_t>(std::min(integer.magnitude, kMost));
  return integer.negative ? -magnitude : magnitude;
}
double real(const Call& call, std::size_t index) {
  if (const double* const plain = std::get_if<double>(&call.values[index])) return *plain;
  return static_cast<double>(whole(call, index));
}

/// A kind of value that commands take: its letter in the tables below, its name, and a bit per alternative of Value.
struct Taken {
  char letter;
  const char* name;
  unsigned alternatives;
};
constexpr unsigned kBool = 1, kWhole = 2, kReal = 4, kText = 8;
constexpr Taken kTaken[] = {{'t', "a text", kText},
                            {'i', "a whole number", kBool | kWhole},
                            {'n', "a number", kBool | kWhole | kReal},
                            {'b', "True or False", kBool | kWhole},
                            {'v', "a value", kBool | kWhole | kReal | kText}};

/// Explains what is wrong with the values; empty: nothing. Those after '?' may be left out.
std::string misfit(std::string_view command, std::string_view takes, const std::vector<Value>& values) {
  std::string words;
  std::size_t least = 0;
  std::size_t most = 0;
  bool wrong = false;
  bool open = false;
  for (const char letter : takes) {
    if (letter == '?') {
      open = true;
      continue;
    }
    const Taken& kind = *std::ranges::find(kTaken, letter, &Taken::letter);
    wrong = wrong || (most < values.size() && (1U << values[most].index() & kind.alternatives) == 0);
    ++most;
    least += open ? 0 : 1;
    words += (words.empty() ? "" : ", ") + std::string(kind.name) + (open ? " (may be left out)" : "");
  }
  if (!wrong && values.size() >= least && values.size() <= most) return "";
  return std::string(command) + " takes " + (words.empty() ? "nothing" : words);
}

}  // namespace

struct Session::Command {
  std::string_view name;
  std::string_view takes;
  std::function<void(Session&, const Call&)> run;  ///< empty: accepted, and without effect here
};
struct Session::RigCommand {
  std::string_view name;
  std::string_view takes;
  CommandCall (*made)(const Call&, const SessionLimits&);
  std::string_view why_not_more;  ///< reason against Trick's other forms of it
};

const std::vector<Session::Command>& Session::commands() {
  using S = Session;
  using Rule = FrameRule;
  static const std::vector<Command> table{
      {"var_add", "t?t", &S::var_add},
      {"var_remove", "t", &S::var_remove},
      {"var_clear", "", [](S& s, const Call&) { s.entries_ = std::vector<Entry>(); }},
      {"var_units", "tt", &S::var_units},
      {"var_send", "", &S::var_send},
      {"var_send_once", "t?i", &S::var_send_once},
      {"var_exists", "t", &S::var_exists},
      {"var_send_list_size", "",
       [](S& s, const Call&) { s.emit(list_size_message(s.entries_.size(), s.format_)); }},
      {"var_get_stl_size", "t", &S::var_get_stl_size},
      {"var_cycle", "n", &S::var_cycle},
      {"var_pause", "", [](S& s, const Call&) { s.paused_ = true; }},
      {"var_unpause", "", [](S& s, const Call&) { s.paused_ = false; }},
      {"var_ascii", "", [](S& s, const Call&) { s.format_.binary = false; }},
      {"var_binary", "", [](S& s, const Call&) { s.format_.binary = true; }},
      {"var_binary_nonames", "",
       [](S& s, const Call&) {
         s.format_ = {.binary = true, .names = false, .byteswap = s.format_.byteswap};
       }},
      {"var_byteswap", "b", [](S& s, const Call& call) { s.format_.byteswap = whole(call, 0) != 0; }},
      {"var_set_copy_mode", "i", &S::var_set_copy_mode},
      {"var_set_write_mode", "i", &S::var_set_write_mode},
      {"var_sync", "i", &S::var_sync},
      {"var_set_frame_multiple", "i",
       [](S& s, const Call& call) { s.set_frame_rule(call, &Rule::multiple, s.frames_); }},
      {"var_set_frame_offset", "i",
       [](S& s, const Call& call) { s.set_frame_rule(call, &Rule::offset, s.frames_); }},
      {"var_set_freeze_frame_multiple", "i",
       [](S& s, const Call& call) { s.set_frame_rule(call, &Rule::multiple, s.freeze_frames_); }},
      {"var_set_freeze_frame_offset", "i",
       [](S& s, const Call& call) { s.set_frame_rule(call, &Rule::offset, s.freeze_frames_); }},
      {"var_set_client_tag", "t", &S::var_set_client_tag},
      {"var_set", "tv?t", &S::var_set},
      {"var_exit", "", [](S& s, const Call&) { s.over_ = true; }},
      {"var_validate_address", "b", nullptr},
      {"var_debug", "i", nullptr},
      {"var_server_log_on", "", nullptr},
      {"var_server_log_off", "", nullptr},
      {"var_server_session_log_on", "", nullptr},
      {"var_server_session_log_off", "", nullptr},
      {"var_set_send_stdio", "b?i", nullptr},
      {"var_retry_bad_ref", "", nullptr},
  };
  return table;
}

namespace {

template <Command kCommand, std::int64_t kValue = 0>
CommandCall plain(const Call&, const SessionLimits&) {
  return {kCommand, kValue, {}};
}
/// Makes a command with a name, if one was given.
template <Command kCommand, std::int64_t kValue = 0>
CommandCall named(const Call& call, const SessionLimits&) {
  return {kCommand, kValue, call.values.empty() ? std::string() : text(call, 0)};
}
/// freeze(t): at that simulated time. What is not after 0 is past, whatever the time is.
CommandCall freeze(const Call& call, const SessionLimits&) {
  if (call.values.empty()) return {Command::pause, 0, {}};
  constexpr double kLongest = 9e9;  // s: what nanoseconds hold
  const double seconds = std::clamp(real(call, 0), 0.0, kLongest);
  return {Command::pause, std::max<std::int64_t>(1, std::llround(seconds * 1e9)), {}};
}
/// Cuts a code as the kernel cuts the status of a process; but a failure stays one.
std::int64_t as_exit_status(std::int64_t code) {
  const std::int64_t cut = code & 0xFF;
  return cut == 0 && code != 0 ? 0xFF : cut;
}
CommandCall terminate(const Call& call, const SessionLimits& limits) {
  const bool says = limits.exit_status && !call.values.empty();
  return {Command::stop, says ? as_exit_status(whole(call, 0)) : 0, {}};
}

}  // namespace

const std::vector<Session::RigCommand>& Session::rig_commands() {
  static constexpr std::string_view kAtTimes =
      "a stop at a time is not accepted here; write it in the rig file (`commands:`)";
  using enum executive::Command;
  static const std::vector<RigCommand> table{
      {"freeze", "?n", &freeze, ""},
      {"exec_freeze", "", &plain<pause>, ""},
      {"run", "", &plain<resume>, ""},
      {"exec_run", "", &plain<resume>, ""},
      {"stop", "", &plain<stop>, kAtTimes},
      {"exec_shutdown", "", &plain<stop>, ""},
      {"exec_terminate", "?tt", &plain<stop>, ""},
      {"exec_terminate_with_return", "?itit", &terminate, ""},
      {"checkpoint", "?t", &named<checkpoint>, ""},
      {"load_checkpoint", "t", &named<load>, ""},
      {"real_time_enable", "", &plain<realtime, 1>, ""},
      {"real_time_disable", "", &plain<realtime, 0>, ""},
      {"dr_enable", "?t", &named<record, 1>, ""},
      {"dr_disable", "?t", &named<record, 0>, ""},
      {"dr_enable_group", "t", &named<record, 1>, ""},
      {"dr_disable_group", "t", &named<record, 0>, ""},
  };
  return table;
}

void Session::run(const Call& call) {
  if (!call.problem.empty()) return refuse(call.text, call.problem);
  const auto named = [&](const auto& row) { return row.name == call.name; };
  if (const auto& all = commands(); std::ranges::any_of(all, named)) {
    const Command& command = *std::ranges::find_if(all, named);
    if (const std::string problem = misfit(command.name, command.takes, call.values); !problem.empty())
      return refuse(call.text, problem);
    if (command.run) command.run(*this, call);
    return;
  }
  if (const auto& all = rig_commands(); std::ranges::any_of(all, named))
    return give_rig_command(call, *std::ranges::find_if(all, named));
  for (const auto& [name, reason] : kRefused)
    if (name == call.name) return refuse(call.text, std::string(reason));
  std::vector<std::string> known;
  for (const Command& command : commands()) known.emplace_back(command.name);
  refuse(call.text, "it is no command of the variable server, and there is no Python here" +
                        config::meant(call.name, known));
}

void Session::give_rig_command(const Call& call, const RigCommand& command) {
  if (const std::string problem = misfit(command.name, command.takes, call.values); !problem.empty())
    return refuse(call.text, command.why_not_more.empty() ? problem : std::string(command.why_not_more));
  if (!limits_.writes) return refuse(call.text, "commands are not taken here (`writes: no` in the rig file)");
  const std::string problem = backend_.command(command.made(call, limits_), who());
  if (!problem.empty()) refuse(call.text, problem);
}

// --- the list

void Session::var_add(const Call& call) {
  const std::string& name = text(call, 0);
  if (entries_.size() >= limits_.variables)
    return refuse(call.text, "the list has " + std::to_string(entries_.size()) +
                                 " variables already, which is the most (`max_variables` in the rig file)");
  if (name.size() > kLongestName)
    return refuse(call.text, "a name has at most " + std::to_string(kLongestName) + " bytes");
  Entry entry = look_up(rig_, name);
  if (call.values.size() > 1 && entry.kind != Entry::Kind::unknown)
    if (const std::string problem = set_unit(entry, text(call, 1)); !problem.empty())
      refuse(call.text, problem);
  entries_.push_back(std::move(entry));
  skips_told_ = false;
}

void Session::var_remove(const Call& call) {
  const auto named = [&](const Entry& entry) { return entry.name == text(call, 0); };
  if (const auto found = std::ranges::find_if(entries_, named); found != entries_.end())
    entries_.erase(found);
}

void Session::var_units(const Call& call) {
  const auto named = [&](const Entry& entry) { return entry.name == text(call, 0); };
  const auto found = std::ranges::find_if(entries_, named);
  if (found == entries_.end()) return refuse(call.text, "it is not in the list; add it first");
  if (const std::string problem = set_unit(*found, text(call, 1)); !problem.empty())
    refuse(call.text, problem);
}

// --- answers

void Session::var_send(const Call& call) {
  if (!entries_.empty()) start_reading(Kind::list, {}, call);
}

void Session::var_send_once(const Call& call) {
  std::vector<Entry> once;
  std::vector<std::string_view> names = rtsync::parts_of(text(call, 0), ',');
  if (names.back().empty()) names.pop_back();
  const std::int64_t expected = call.values.size() > 1 ? whole(call, 1) : 1;
  if (static_cast<std::int64_t>(names.size()) != expected)
    return refuse(call.text, "there are " + std::to_string(names.size()) + " names, not " +
                                 std::to_string(expected) + ", so nothing is sent");
  if (names.size() > limits_.variables)
    return refuse(call.text, "there are more than " + std::to_string(limits_.variables) +
                                 " names (`max_variables` in the rig file)");
  for (const std::string_view name : names) once.push_back(look_up(rig_, std::string(config::trimmed(name))));
  if (!once.empty()) start_reading(Kind::once, std::move(once), call);
}

void Session::var_exists(const Call& call) {
  std::string problem;
  const bool exists = find_own_variable(text(call, 0)) != nullptr || find(rig_, text(call, 0), problem);
  emit(exists_message(exists, format_));
}

void Session::var_get_stl_size(const Call& call) {
  std::string problem;
  const auto ref = find(rig_, text(call, 0), problem);
  const bool array = ref && !ref->indexed && rig_.variables()[ref->variable].variable->count > 0;
  emit(container_size_message(array ? static_cast<std::int64_t>(ref->elements) : -1, format_));
}

// --- when, and in which form

void Session::var_cycle(const Call& call) {
  const double seconds = real(call, 0);
  if (!(seconds >= 0 && seconds <= kLongestCycle))
    return refuse(call.text, "a cycle is 0.001 s or more, and at most 1e9 s");
  const Nanoseconds before = cycle_;
  cycle_ = std::max(kShortestCycle, Nanoseconds(std::llround(seconds * 1e9)));
  due_ = std::max(now_, std::min(due_, due_ - before + cycle_));
}

void Session::set_copy_mode(CopyMode mode) {
  copy_mode_ = mode;
  frames_.last.reset();
  freeze_frames_.last.reset();
  due_ = now_;
}

void Session::var_set_copy_mode(const Call& call) {
  const std::int64_t mode = whole(call, 0);
  if (mode < 0 || mode > 2) return refuse(call.text, "a copy mode is 0, 1 or 2");
  set_copy_mode(static_cast<CopyMode>(mode));
}

// Whatever the mode is, messages are written as soon as their values are copied, and never by the frames.
void Session::var_set_write_mode(const Call& call) {
  const std::int64_t mode = whole(call, 0);
  if (mode < 0 || mode > 1) refuse(call.text, "a write mode is 0 or 1");
}

void Session::var_sync(const Call& call) {
  const std::int64_t mode = whole(call, 0);
  set_copy_mode(mode == 1 || mode == 2 ? CopyMode::multiples_of_cycle : CopyMode::any_time);
}

void Session::set_frame_rule(const Call& call, std::int64_t FrameRule::*part, FrameRule& rule) {
  const std::int64_t frames = whole(call, 0);
  const std::int64_t least = part == &FrameRule::multiple ? 1 : 0;
  if (frames < least || frames > UINT32_MAX)
    return refuse(call.text, call.name + " takes " + std::to_string(least) + " .. 4294967295");
  rule.*part = frames;
  rule.last.reset();
}

void Session::var_set_client_tag(const Call& call) {
  constexpr std::size_t kLongestTag = 60;
  tag_ = config::one_line(std::string_view(text(call, 0)).substr(0, kLongestTag));
}

// --- what is changed

void Session::var_set(const Call& call) {
  if (!limits_.writes) return refuse(call.text, "variables are not set here (`writes: no` in the rig file)");
  std::string problem;
  const auto ref = find(rig_, text(call, 0), problem);
  if (!ref) return refuse(call.text, problem);
  const executive::Variable& variable = *rig_.variables()[ref->variable].variable;
  if (ref->elements != 1)
    return refuse(call.text, "it is an array of " + std::to_string(ref->elements) + "; set one element, " +
                                 variable.name + (variable.columns > 0 ? "[0][0]" : "[0]"));
  auto bytes = bytes_of(variable, call.values[1], call.values.size() > 2 ? text(call, 2) : "", problem);
  if (!bytes) return refuse(call.text, text(call, 0) + " " + problem);
  executive::LiveBatch batch{.writes = {{.ref = *ref, .bytes = *std::move(bytes)}}, .who = who()};
  if (writing_.size() >= kWrites)
    return refuse(call.text, std::to_string(kWrites) + " changes wait for a frame already; let frames run");
  const std::uint64_t ticket = ++tickets_;
  const std::vector<std::string> problems = backend_.write(std::move(batch), ticket);
  if (problems.empty()) {
    writing_.emplace_back(ticket, call.text.substr(0, 100));
    return;
  }
  std::string all;
  for (const std::string& one : problems) {
    all += (all.empty() ? "" : "; ") + one;
    if (one.ends_with("force it instead")) all += " at the control port (Trick's protocol has no force)";
  }
  refuse(call.text, all);
}

}  // namespace tactus::drivers::trick
