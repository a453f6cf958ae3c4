// SPDX-License-Identifier: Apache-2.0
#include "executive/run/run_setup.hpp"

#include <algorithm>
#include <ctime>
#include <system_error>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/setting_meant.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;

std::string start_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[32];
  (void)std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

/// Number of frames that end within the longest time there is.
std::int64_t most_frames(const rtsync::Period& frame) {
  const auto most = static_cast<rtsync::Wide>(INT64_MAX - 1) * frame.den() / frame.num();
  return static_cast<std::int64_t>(std::min<rtsync::Wide>(most, INT64_MAX - 1));
}

/// `until` and `frames`, which change `until:`; so the run folder's rig.yaml runs as long again.
void set_end(const RunOverrides& choices, RigSettings& settings, config::Problems& problems) {
  if (choices.frames) {
    const rtsync::Period& frame = settings.frame.period;
    const std::int64_t most = most_frames(frame);
    const std::string given = std::to_string(*choices.frames);
    if (*choices.frames > most)
      problems.add({choices.spelling + "frames " + given, 1, 1}, "frames",
                   given +
                       " frames of this rig are longer than 9223372036.854775807 s, the longest simulated "
                       "time there is; at most " +
                       std::to_string(most) + " are allowed, or leave " + choices.spelling +
                       "frames away and write until: stopped");
    else
      settings.until = frame.times(*choices.frames);
  } else if (!choices.until.empty()) {
    const std::string option = choices.spelling + "until ";
    const auto until = config::parse_duration(choices.until);
    if (until && *until.value > rtsync::Nanoseconds{0}) {
      settings.until = *until.value;
    } else {
      const std::string wrong = until ? "'" + choices.until + "' is not at least 1 ns" : until.problem;
      problems.add({option + choices.until, 1, 1}, "until",
                   wrong.substr(0, wrong.find(';')) + "; write for example " + option + "10s");
    }
  }
}

/// Sets each value of a map, with all that is in it. Below the first level a key with dots is a name, as that of a
/// stimulus is its variable's.
void set_all(config::Document& document, const config::Node& map, const std::string& path,
             config::Problems& problems) {
  for (const config::Node::Entry& entry : map.entries()) {
    const bool is_name = !path.empty() && entry.key.find('.') != std::string::npos;
    const std::string key = path + (is_name ? "\"" + entry.key + "\"" : entry.key);
    if (entry.value.is_map())
      set_all(document, entry.value, key + ".", problems);
    else
      document.set(key + "=" + config::to_flow(entry.value), problems);
  }
}

/// A file whose keys are laid over those of the rig file.
void lay_over(config::Document& document, const std::string& file, config::Problems& problems) {
  const config::Document over = config::Document::from_file(file);
  for (const config::Repeated& repeated : over.repeated())
    problems.add(repeated.place, repeated.path + "." + repeated.key,
                 "the same key twice; " + repeated.where_first());
  set_all(document, over.root(), "", problems);
}

/// Complains about a path that leads to no key where another one is meant.
bool is_other_meant(const config::Document& document, const std::string& file, std::string_view path,
                    const config::SourceLocation& place, config::Problems& problems) {
  const std::string meant = setting_meant(config::trimmed(path), document, file);
  if (meant.empty()) return false;
  problems.add(place, std::string(config::trimmed(path)),
               "no path of a rig file; did you mean " + config::show(meant) + "?");
  return true;
}

void set_values(config::Document& document, const std::string& file, const std::vector<std::string>& set,
                config::Problems& problems) {
  for (const std::string& assignment : set) {
    const std::size_t equals = assignment.find('=');
    if (assignment.starts_with('@'))
      lay_over(document, assignment.substr(1), problems);
    else if (equals == std::string::npos ||
             !is_other_meant(document, file, std::string_view(assignment).substr(0, equals),
                             {"--set " + config::one_line(assignment), 1, 1}, problems))
      document.set(assignment, problems);
  }
}

/// Lays a test over a rig: its events, expectations and end as they are, with their places.
void lay_test(config::Document& document, const std::string& rig, const std::string& file,
              config::Problems& problems) {
  const config::Document test = config::Document::from_file(file);
  for (const config::Repeated& repeated : test.repeated())
    problems.add(repeated.place, repeated.path.empty() ? repeated.key : repeated.path + "." + repeated.key,
                 "the same key twice; " + repeated.where_first());
  const std::vector<std::string> laid{"test",    "until",  "events", "sequence", "expect",
                                      "stimuli", "faults", "around", "measure"};
  std::vector<std::string> known{"about", "rig", "set"};
  known.insert(known.end(), laid.begin(), laid.end());
  for (const config::Node::Entry& entry : test.root().entries()) {
    if (std::ranges::find(laid, entry.key) != laid.end()) {
      document.put(entry);
    } else if (entry.key == "set") {
      if (!entry.value.is_map())
        problems.add(entry.value.place(), "set",
                     "expected a map of paths, found " + std::string(config::kind_name(entry.value.kind())));
      for (const config::Node::Entry& each : entry.value.entries())
        if (!is_other_meant(document, rig, each.key, each.place, problems)) document.set(each, problems);
    } else if (entry.key == "about" || entry.key == "rig") {
      if (!entry.value.is_scalar())
        problems.add(entry.value.place(), entry.key,
                     "expected a text, found " + std::string(config::kind_name(entry.value.kind())));
    } else if (!entry.key.starts_with("x-")) {
      problems.add(entry.place, entry.key, "unknown key of a test; " + config::hint(entry.key, known));
    }
  }
  const auto is_empty = [&](const char* key) {
    const config::Node* const node = test.root().find(key);
    return node == nullptr || (!node->is_scalar() && node->entries().empty() && node->items().empty());
  };
  if (is_empty("expect") && is_empty("sequence"))
    problems.add(test.root().place(), "expect", "the test expects nothing; write what ought to hold");
}

/// The settings of the file, and what the choices about the link change in them.
RigSettings load_linked(const std::string& file, const RunOverrides& choices, config::Problems& problems) {
  config::Document document = config::Document::from_file(file);
  if (!choices.test.empty()) lay_test(document, file, choices.test, problems);
  set_values(document, file, choices.set, problems);  // of the command line: they win
  const bool linked = document.root().find("link") != nullptr;
  const auto change = [&](const char* option, const char* key, const std::string& value) {
    if (value.empty() || value == "off") return;
    if (linked)
      document.set(std::string(key) + "=" + value, problems);
    else
      problems.add({choices.spelling + option + " " + value, 1, 1}, key,
                   "the rig has no link; add a section link: to it");
  };
  change("link", "link.mode", choices.link);
  change("registry", "link.registry", choices.registry);
  if (!choices.live.empty()) document.set("live.http.listen='" + choices.live + "'", problems);
  return rig_fields().load(document, problems);
}

/// Adds to what is wrong that the test was written for another rig, where it was. Throws config::ConfigError.
[[noreturn]] void refuse_test(const std::string& file, const std::string& rig,
                              const config::ConfigError& error) {
  const config::Document test = config::Document::from_file(file);
  const config::Node* const written_for = test.root().find("rig");
  if (written_for == nullptr || !written_for->is_scalar() || written_for->text() == rig || rig.empty())
    throw error;
  config::Problems problems = error.problems();
  problems.add(written_for->place(), "rig",
               "the test was written for the rig " + config::show(written_for->text()) +
                   ", and this one is " + config::show(rig) + "; it needs all variables that the test names");
  throw config::ConfigError(problems);
}

}  // namespace

config::Document load_document(const std::string& file, const std::vector<std::string>& set,
                               config::Problems& problems) {
  config::Document document = config::Document::from_file(file);
  set_values(document, file, set, problems);
  return document;
}

fs::path folder_of(const std::string& file) { return fs::absolute(file).parent_path(); }

std::unique_ptr<Rig> load_rig(const std::string& file, const RunOverrides& choices) {
  config::Problems problems;
  RigSettings settings = load_linked(file, choices, problems);
  set_end(choices, settings, problems);
  const LinkOverrides link{choices.realtime, choices.link == "off", choices.replay};
  const std::string name = settings.rig.value;
  try {
    return std::make_unique<Rig>(std::move(settings), folder_of(file), std::move(problems), link);
  } catch (const config::ConfigError& error) {
    if (choices.test.empty()) throw;
    refuse_test(choices.test, name, error);
  }
}

void check_pace_of_outputs(const Rig& rig, const RunOverrides& choices) {
  if (rig.plan().safe_outputs.empty() || choices.drive_outputs) return;
  if (choices.realtime && !rig.follows_others()) return;
  const bool command = !choices.spelling.empty();
  const std::string what = choices.realtime ? "link.mode: follow" : command ? "--no-realtime" : "no_realtime";
  const std::string ask = command ? "--drive-outputs" : "drive_outputs";
  throw config::ConfigError({what, 1, 1}, ask,
                            "the rig drives real outputs, and would do so as fast as its frames run; " +
                                std::string(choices.realtime ? "set link.mode: paced" : "remove " + what) +
                                " on a bench, or add " + ask + " if that is wanted in this run");
}

RunFolder::RunFolder(const RunOverrides& choices, const std::string& rig) {
  make(choices, rig);
  absolute_path_ = fs::absolute(path_);
}

void RunFolder::make(const RunOverrides& choices, const std::string& rig) {
  const std::string option = choices.spelling + "out";
  const auto cannot_make = [&](const fs::path& folder, const std::error_code& error) {
    throw MachineError("cannot make the run folder " + folder.string() + ": " + error.message() +
                       "; choose another with " + option);
  };
  std::error_code error;
  if (!choices.out.empty()) {
    path_ = choices.out;
    made_by_us_ = fs::create_directories(path_, error);
    if (error) cannot_make(path_, error);
    if (!fs::is_empty(path_, error) || error)
      throw config::ConfigError(
          {option + " " + choices.out, 1, 1}, option,
          "the folder is not empty, and no run overwrites another; choose a new one or empty it");
    return;
  }
  fs::create_directories("runs", error);
  if (error) cannot_make("runs", error);
  const std::string name = "runs/" + rig + "-" + start_time();
  for (int i = 1; i < 1000; ++i) {  // two runs may start within a second
    path_ = i == 1 ? name : name + "-" + std::to_string(i);
    if (fs::create_directory(path_, error)) return;
    if (error) cannot_make(path_, error);
  }
  cannot_make(name, std::make_error_code(std::errc::file_exists));
}

void RunFolder::leave_nothing() const {
  std::error_code ignored;  // the refusal is what counts
  for (const fs::directory_entry& entry : fs::directory_iterator(absolute_path_, ignored))
    fs::remove_all(entry, ignored);
  if (made_by_us_) fs::remove(absolute_path_, ignored);
}

RunOptions run_options(const Rig& rig, const RunOverrides& choices, const RunFolder& folder) {
  RunOptions options{
      .folder = folder.absolute_path(), .realtime = choices.realtime, .shown_folder = folder.path()};
  if (choices.spelling.empty()) options.no_realtime = "no_realtime";
  options.from = choices.from;
  options.paused = choices.paused;
  options.margin = choices.margin;
  options.fail_on = choices.fail_on;
  options.judge = choices.judge;
  options.judge.test_file = choices.test;
  const std::optional<rtsync::Nanoseconds>& until = rig.settings().until;
  options.frames = choices.frames.value_or(until ? rig.plan().frame.begun_in(*until) : INT64_MAX);
  return options;
}

void run_in(const RunFolder& folder, RigRun& run, RunObserver& watcher) {
  try {
    run.run(watcher);
  } catch (const MachineError&) {
    folder.leave_nothing();
    throw;
  } catch (const config::ConfigError&) {  // of the checkpoint
    folder.leave_nothing();
    throw;
  }
}

}  // namespace tactus::executive
