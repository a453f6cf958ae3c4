// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

#include "config/document.hpp"
#include "config/json.hpp"
#include "config/number.hpp"
#include "executive/app/commands.hpp"
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
    app.description("run many tests of a rig, or try a driver of your own");
    app.add_option("WHAT", what_, "a rig file, or `driver`: kill one, fill its disk, withhold its device")
        ->required();
    app.add_option("FILE", files_, "files of tests; or the driver's library, libtactus-<kind>-<name>.so")
        ->required();
    app.add_option("-k", tests_.only, "run only tests whose path holds this text")->type_name("TEXT");
    app.add_flag("-x", tests_.until_failure, "end at the first test that is not good");
    app.add_option("--junit", tests_.junit, "write the verdicts of all tests as JUnit XML")
        ->option_text("FILE");
    app.add_option("--allow", allow_, "count these verdicts as good: untested, inconclusive")
        ->option_text("VERDICTS");
    app.add_option("--out", tests_.out, "write the run folders here; default runs/<rig>-tests-<start time>")
        ->type_name("DIR");
    app.add_option("--set", set_, "change a value of the rig file, e.g. realtime.on_overrun=skip")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->take_all();
    app.add_flag("!--no-realtime", realtime_, "do not pace the rig; the recorded values are the same");
    app.add_option("--keys", keys_, "a driver's keys, as in a rig file: 'port: /dev/ttyUSB0'")
        ->type_name("YAML");
    app.add_option("--patience", patience_, "end a trial of a driver that takes longer; default 60 s")
        ->type_name("TIME");
    app.add_flag("--json", json_, "print one JSON object for each trial of a driver");
  }

  int run() override {
    if (what_ == "driver") return try_driver();
    tests_.rig = what_;
    tests_.files = files_;
    if (!realtime_) tests_.passed = {"--no-realtime"};
    if (!allow_.empty()) tests_.passed.insert(tests_.passed.end(), {"--allow", allow_});
    for (const std::string& each : set_) tests_.passed.insert(tests_.passed.end(), {"--set", each});
    return run_tests(tests_);
  }

 private:
  int try_driver() const {
    if (files_.size() != 1)
      throw CommandError(kWrongInput, "tactus test driver LIBRARY: one library at a time");
    TriedDriver driver = driver_of(files_.front());
    driver.keys = keys_.empty() ? config::Node::map({}) : config::Document::from_text("--keys", keys_).root();
    const auto patience = config::parse_duration(patience_);
    if (!patience) throw CommandError(kWrongInput, "--patience: " + patience.problem);
    std::vector<Trial> trials = common_trials();
    for (Trial& trial : driver.kind == "model"    ? model_trials()
                        : driver.kind == "record" ? format_trials()
                                                  : clock_trials())
      trials.push_back(std::move(trial));
    std::array<std::size_t, 3> counts{};
    for (const Trial& trial : trials) {
      const TrialResult result = run_trial(trial, driver, *patience.value);
      ++counts.at(static_cast<std::size_t>(result.outcome));
      show(trial, result);
      if (&trial == &trials.front() && result.outcome == Outcome::wrong) break;  // nothing else can be tried
    }
    if (!json_)
      put("driver %s: %zu trials passed, %zu found a mistake, %zu were not possible\n", driver.name.c_str(),
          counts[0], counts[1], counts[2]);
    return counts[1] == 0 ? kOk : kEndedEarly;
  }

  void show(const Trial& trial, const TrialResult& result) const {
    static constexpr const char* kWords[] = {"ok", "wrong", "skipped"};
    static constexpr Ink kInks[] = {Ink::good, Ink::bad, Ink::warning};
    const auto row = static_cast<std::size_t>(result.outcome);
    if (json_) {
      config::Json line{{"trial", trial.name}, {"result", kWords[row]}};
      if (!result.text.empty()) line["text"] = result.text;
      put("%s\n", line.dump().c_str());
    } else {
      const std::string word =
          std::string(kWords[row]) + std::string(8 - std::char_traits<char>::length(kWords[row]), ' ');
      put("%s %s%s%s\n", painted(kInks[row], word).c_str(), trial.name.c_str(),
          result.text.empty() ? "" : ": ", result.text.c_str());
    }
    std::fflush(stdout);
  }

  TestRuns tests_;
  std::string what_, allow_, keys_, patience_ = "60 s";
  std::vector<std::string> files_, set_;
  bool json_ = false, realtime_ = true;
};

}  // namespace

std::unique_ptr<CommandDriver> test_command() { return std::make_unique<TestCommand>(); }

}  // namespace tactus::app
