// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "config/document.hpp"
#include "config/json.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/mutation_runs.hpp"
#include "executive/app/options.hpp"
#include "executive/app/output_file.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/app/test_runs.hpp"
#include "executive/app/trial.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::app {
namespace {

using Outcome = TrialResult::Outcome;

/// Takes kind and name from the name of the file.
TriedDriver driver_of(const std::string& file) {
  TriedDriver driver;
  std::error_code error;
  driver.file = std::filesystem::absolute(file, error);
  if (!std::filesystem::is_regular_file(driver.file, error))
    throw CommandError(kWrongInput, file + ": there is no such file");
  const std::string name = driver.file.filename().string();
  for (const char* const kind : {"model", "record", "clock"}) {
    const std::string begin = std::string("libtactus-") + kind + "-";
    if (!name.starts_with(begin) || !name.ends_with(".so") || name.size() <= begin.size() + 3) continue;
    driver.kind = kind;
    driver.name = name.substr(begin.size(), name.size() - begin.size() - 3);
    return driver;
  }
  throw CommandError(kWrongInput, file +
                                      ": a driver's library is named libtactus-model-NAME.so, "
                                      "libtactus-record-NAME.so or libtactus-clock-NAME.so");
}

class TestCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app_ = &app;
    app.description("run many tests of a rig, or try a driver of your own");
    app.add_option("WHAT", tests_.rig,
                   "a rig file; or `driver`: try one with kills, a full disk, an absent device")
        ->required();
    app.add_option("FILE", tests_.files,
                   "files of tests; or the driver's library, libtactus-<kind>-<name>.so")
        ->required();
    add_value(app, "-k", tests_.only, "TEXT", "run only tests whose path holds this text");
    app.add_flag("-x", tests_.until_failure, "end after the first test that did not pass");
    app.add_option("--junit", tests_.junit, "write the verdicts of all tests as JUnit XML")
        ->option_text("FILE");
    app.add_option("--allow", allow_, "count these verdicts as good: untested, inconclusive")
        ->option_text("VERDICTS")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"untested", "inconclusive"}));
    add_value(app, "--out", tests_.out, "DIR",
              "write the run folders here; default runs/<rig>-tests-<start time>");
    add_value(app, "--set", tests_.set, "PATH=VALUE",
              "change a value of the rig file, e.g. realtime.on_overrun=skip")
        ->expected(1)
        ->take_all();
    app.add_flag("!--no-realtime", realtime_, "do not pace the rig; the recorded values are the same");
    app.add_flag("--mutate", mutates_,
                 "disturb each output of the rig in turn, and list disturbances that no expectation sees");
    add_value(app, "--only", mutation_.only, "TEXT",
              "with --mutate: only mutants whose name holds this, e.g. 'motor.speed stuck'");
    add_value(app, "--least", least_, "SHARE",
              "with --mutate: status 4 if a smaller share of mutants is seen, e.g. '80 %'");
    add_value(app, "--jobs", mutation_.jobs, "N",
              "with --mutate: run this number of mutants side by side; default one for each CPU")
        ->check(CLI::Range(1, 1000));
    add_value(app, "--keys", keys_, "YAML",
              "give the driver these keys, as in a rig file: 'port: /dev/ttyUSB0'");
    add_value(app, "--patience", patience_, "TIME",
              "end a trial of a driver, or a mutant, that takes longer; default 60 s, or ten times the test");
    app.add_flag("--json", tests_.json,
                 "print JSON: an object for each test or trial, or one for all mutants");
  }

  int run() override {
    refuse_idle_options();
    if (tests_.rig == "driver") return try_driver();
    if (!realtime_) tests_.passed = {"--no-realtime"};
    tests_.allows_inconclusive = std::ranges::find(allow_, "inconclusive") != allow_.end();
    for (const std::string& each : allow_) tests_.passed.insert(tests_.passed.end(), {"--allow", each});
    for (const std::string& each : tests_.set) tests_.passed.insert(tests_.passed.end(), {"--set", each});
    if (!tests_.junit.empty()) check_junit_file(tests_.junit);
    if (!mutates_) return run_tests(tests_);
    if (!realtime_) tests_.passed.erase(tests_.passed.begin());  // mutants never are
    if (!patience_.empty()) mutation_.patience = patience_asked();
    if (!least_.empty()) {
      const auto share = config::parse_percent(least_);
      if (!share || !(*share.value >= 0 && *share.value <= 1))
        throw CommandError(
            kWrongInput,
            "--least: " + (share ? config::show(least_) + " is outside 0 % .. 100 %" : share.problem));
      mutation_.least = *share.value;
    }
    mutation_.json = tests_.json;
    return run_mutants(tests_, mutation_);
  }

 private:
  /// Throws CommandError that names each option which would be ignored.
  void refuse_idle_options() const {
    const bool driver = tests_.rig == "driver", mutate = mutates_;
    std::string all;
    for (const CLI::Option* const each : app_->get_options()) {
      const std::string name = each->get_name();
      const auto is = [&](std::initializer_list<const char*> names) {
        return each->count() > 0 && std::ranges::find(names, name) != names.end();
      };
      const char* const why = driver && is({"-k", "-x", "--junit", "--allow", "--out", "--set",
                                            "--no-realtime", "--mutate", "--only", "--least", "--jobs"})
                                  ? " belongs to tests of a rig, not to `tactus test driver`"
                              : !driver && is({"--keys"}) ? " belongs to `tactus test driver` alone"
                              : !driver && !mutate && is({"--patience", "--only", "--least", "--jobs"})
                                  ? " is of --mutate; add that"
                              : mutate && is({"-x", "--junit"})
                                  ? " is not possible with --mutate, which runs all and has no verdicts"
                                  : nullptr;
      if (why != nullptr) all += (all.empty() ? "" : "\n") + name + why;
    }
    if (!all.empty()) throw CommandError(kWrongInput, all);
  }

  std::chrono::nanoseconds patience_asked() const {
    const auto patience = config::parse_duration(patience_);
    if (!patience) throw CommandError(kWrongInput, "--patience: " + patience.problem);
    if (patience.value->count() <= 0) throw CommandError(kWrongInput, "--patience: above 0 s is expected");
    return *patience.value;
  }

  int try_driver() const {
    if (tests_.files.size() != 1)
      throw CommandError(kWrongInput, "tactus test driver LIBRARY: one library at a time");
    TriedDriver driver = driver_of(tests_.files.front());
    driver.keys = keys_.empty() ? config::Node::map({}) : config::Document::from_text("--keys", keys_).root();
    const std::chrono::nanoseconds patience = patience_.empty() ? std::chrono::minutes{1} : patience_asked();
    std::vector<Trial> trials = common_trials();
    for (Trial& trial : driver.kind == "model"    ? model_trials()
                        : driver.kind == "record" ? format_trials()
                                                  : clock_trials())
      trials.push_back(std::move(trial));
    std::array<std::size_t, 3> counts{};
    std::string misfit;  // of the keys
    for (const Trial& trial : trials) {
      TrialResult result = run_trial(trial, driver, patience);
      ++counts.at(static_cast<std::size_t>(result.outcome));
      if (result.keys_misfit && misfit.empty()) misfit = result.text;
      if (result.keys_misfit && keys_.empty()) result.text += "; give its keys by --keys";
      show(trial, result);
      if (&trial == &trials.front() && result.outcome == Outcome::wrong) break;  // nothing else can be tried
    }
    if (!tests_.json)
      put("driver %s: %zu trials passed, %zu found a mistake, %zu were not possible\n", driver.name.c_str(),
          counts[0], counts[1], counts[2]);
    if (counts[1] == 0 && !misfit.empty() && keys_.empty())
      throw CommandError(kWrongInput, "driver " + driver.name +
                                          " needs keys, and most trials need the driver: give its keys as a "
                                          "rig file has them, --keys '{ KEY: VALUE }'");
    if (counts[1] == 0 && !misfit.empty())
      throw CommandError(kWrongInput, "--keys: the keys given do not fit driver " + driver.name +
                                          ", and most trials need the driver: " + misfit);
    return counts[1] == 0 ? kOk : kEndedEarly;
  }

  void show(const Trial& trial, const TrialResult& result) const {
    static constexpr const char* kWords[] = {"ok", "wrong", "skipped"};
    static constexpr Ink kOfRow[] = {Ink::good, Ink::bad, Ink::warning};
    const auto row = static_cast<std::size_t>(result.outcome);
    if (tests_.json) {
      config::Json line{{"trial", trial.name}, {"result", kWords[row]}};
      if (!result.text.empty()) line["text"] = result.text;
      put("%s\n", line.dump().c_str());
    } else {
      const std::string word =
          std::string(kWords[row]) + std::string(8 - std::char_traits<char>::length(kWords[row]), ' ');
      put("%s %s%s%s\n", painted(kOfRow[row], word).c_str(), trial.name.c_str(),
          result.text.empty() ? "" : ": ", result.text.c_str());
    }
    std::fflush(stdout);
  }

  CLI::App* app_ = nullptr;
  bool mutates_ = false;
  TestRuns tests_;
  MutationRuns mutation_;
  std::string keys_, patience_, least_;
  std::vector<std::string> allow_;
  bool realtime_ = true;
};

}  // namespace

std::unique_ptr<CommandDriver> test_command() { return std::make_unique<TestCommand>(); }

}  // namespace tactus::app
