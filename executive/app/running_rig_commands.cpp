// SPDX-License-Identifier: Apache-2.0
// Commands to a running rig, and the values of its variables. All speak the control port.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/client/http_stream.hpp"
#include "executive/client/samples.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::app {
namespace {

using executive::CommandArgument;
using executive::CommandEffect;
using executive::CommandRow;
using executive::CommandTaken;
using namespace std::chrono_literals;

/// Common part of the verbs: the rig, and the output.
class ToRunningRig : public CommandDriver {
 public:
  int run() final {
    take_words();
    rig_ = client::find_rig(where_, token_file_);
    return give();
  }

 protected:
  void declare_rig(CLI::App& app, const char* words, const char* about) {
    app.add_option(words, words_, about);
    app.add_option(
           "--rig", where_,
           "find the rig by its name, run folder, rig file, socket or address; default: the newest in runs/")
        ->option_text("WHERE");
    app.add_option("--token-file", token_file_,
                   "read the control port's token from this file; default: TACTUS_TOKEN")
        ->option_text("FILE");
    app.add_flag("--json", json_, "print the answer of the control port");
  }

  /// The first word may say where the rig is, instead of --rig.
  void take_first_as_rig() {
    if (!where_.empty() || words_.empty()) return;
    where_ = words_.front();
    words_.erase(words_.begin());
  }
  virtual void take_words() = 0;
  virtual int give() = 0;

  Json ask(const std::string& target) const {
    return config::json_of(client::get(rig_.address, target, rig_.token));
  }
  /// The answer to a POST. Throws NoRigError: it is refused.
  Json send(const std::string& target, const Json& body, bool for_ever = false) const {
    std::string answer;
    const int status = client::post(rig_.address, target, rig_.token, body.dump(), answer, for_ever);
    if (status >= 300) throw client::NoRigError(client::refusal(status, answer));
    return config::json_of(answer);
  }
  void print(const Json& answer, const std::string& words) const {
    app::put("%s\n",
             json_ ? answer.dump(-1, ' ', true, Json::error_handler_t::replace).c_str() : words.c_str());
  }

  std::vector<std::string> words_;
  std::string where_;
  client::FoundRig rig_;
  bool json_ = false;

 private:
  std::string token_file_;
};

/// A command of the frames, or about checkpoints.
class RigCommand final : public ToRunningRig {
 public:
  explicit RigCommand(const CommandRow& row) : row_(row) {}

  void declare(CLI::App& app) override {
    app.description(row_.from_outside);
    const bool alone = !takes_value();
    declare_rig(
        app, alone ? "RIG" : "RIG|VALUE",
        (std::string("the rig, as --rig takes it") + (alone ? "" : ", then ") + value_text()).c_str());
  }

 private:
  bool takes_value() const {
    return row_.argument != CommandArgument::nothing && row_.argument != CommandArgument::status;
  }

  /// Names the value for the help; empty: it takes none.
  const char* value_text() const {
    using enum CommandArgument;
    static constexpr rtsync::Worded<CommandArgument> kValues[] = {{frames, "the number of frames"},
                                                                  {sim_time, "the simulated time"},
                                                                  {file, "the name of the checkpoint"},
                                                                  {new_file, "the name of the checkpoint"}};
    return word_of(kValues, row_.argument, takes_value() ? "the value" : "");
  }

  void take_words() override {
    const std::size_t values = takes_value() ? 1 : 0;
    if (words_.size() > values + (where_.empty() ? 1 : 0))
      throw CommandError(kWrongInput, std::string(row_.word) + ": " + config::show(words_.back()) +
                                          " is one word too many; --help says what it takes");
    if (words_.size() > values || (values == 1 && words_.size() == 1 && !is_value(words_.front())))
      take_first_as_rig();
    if (needs_value(row_) && words_.empty())
      throw CommandError(kWrongInput, std::string(row_.word) + " needs a value: " + row_.from_outside);
    if (!words_.empty()) read_value();
  }

  /// A single word: the value, or where the rig is?
  bool is_value(const std::string& word) const {
    if (needs_value(row_)) return true;
    return row_.argument == CommandArgument::frames ? !word.empty() && config::is_digit(word.front())
                                                    : word.ends_with(".tck");
  }

  void read_value() {
    const std::string& word = words_.front();
    if (row_.argument != CommandArgument::frames) {
      body_[row_.argument == CommandArgument::sim_time ? "until" : "file"] = word;
      return;
    }
    const auto frames = config::parse_integer(word);
    if (!frames || *frames.value < 1)
      throw CommandError(kWrongInput, std::string(row_.word) + ": " + config::show(word) +
                                          " is not a number of frames; 1 or more is expected");
    body_["frames"] = *frames.value;
  }

  int give() override {
    body_["command"] = row_.word;
    // It takes as long as the initialization jobs do.
    const Json answer = send("/v1/commands", body_, row_.effect == CommandEffect::restored);
    if (json_) {
      print(answer, "");
      return kOk;
    }
    const std::optional<Json> state = stable_state();
    // What no state shows is only asked for: a checkpoint may wait for a frame with slack, and is then written.
    const char* const end = answer.value("done", false) ? " is done, "
                            : state && is_shown(*state) ? " was taken, "
                                                        : " was accepted, ";
    put("%s: %s\n", rig_.rig.c_str(),
        state ? (row_.word + (end + state_text(*state))).c_str() : "the rig has ended");
    return kOk;
  }

  /// A command is taken at the end of a frame: a moment for that. Nothing: the rig has ended, as commanded.
  std::optional<Json> stable_state() const try {
    Json state = ask("/v1/state");
    for (int looks = 1; looks < 50 && !is_stable(state); ++looks) {
      std::this_thread::sleep_for(20ms);
      state = ask("/v1/state");
    }
    return state;
  } catch (const client::NoRigError&) {
    if (row_.effect != CommandEffect::ended) throw;
    return std::nullopt;
  }
  /// Returns true if there is nothing to wait for.
  bool is_stable(const Json& state) const { return row_.effect == CommandEffect::other || is_shown(state); }
  /// Returns true if a state shows that the command was taken.
  bool is_shown(const Json& state) const {
    const bool paused = state.value("paused", false);
    return row_.effect == CommandEffect::paused    ? paused
           : row_.effect == CommandEffect::running ? !paused
                                                   : row_.effect == CommandEffect::restored;
  }

  static std::string state_text(const Json& state) {
    if (!state.is_object()) return "its state is not known";
    return state.value("state", std::string("?")) + ", " +
           (state.contains("frame") ? "frame " + state["frame"].dump() : std::string("no frame yet")) +
           ", t " + rtsync::sim_time_text(state.value("sim_time_ns", std::int64_t{0}));
  }

  const CommandRow& row_;
  Json body_ = Json::object();
};

class GetCommand final : public ToRunningRig {
 public:
  void declare(CLI::App& app) override {
    app.description("print values of variables of a running rig, all of one frame");
    declare_rig(app, "RIG|VARIABLES",
                "the rig, as --rig takes it, then names of variables, * for any letters");
  }
  bool is_for_its_output() const override { return true; }

 private:
  void take_words() override {
    if (!words_.empty() && client::looks_like_address(words_.front())) take_first_as_rig();
    if (words_.empty())
      throw CommandError(kWrongInput, "get: which variables? tactus get motor.speed 'axis.*'");
  }
  int give() override {
    std::size_t left_out = 0;
    const auto found = client::find_variables(rig_, words_, 10000, left_out);
    std::vector<std::string> names;
    std::size_t width = 0;
    for (const client::VariableFacts& each : found) {
      names.push_back(each.name);
      width = std::max(width, each.name.size());
    }
    Json answer = Json::object();
    std::int64_t frames[2] = {-1, -1};  // of the first answer, and of the last
    for (const std::string& list : client::lists_of_names(names)) {
      Json part = ask("/v1/values?names=" + list);
      if (!part.is_object()) continue;
      frames[1] = part.value("frame", std::int64_t{-1});
      if (answer.empty()) {
        answer = part;
        frames[0] = frames[1];
      } else if (part["values"].is_object() && answer["values"].is_object()) {
        auto& all =
            answer["values"].get_ref<Json::object_t&>();  // no name comes twice, and there may be many
        for (auto& [name, value] : part["values"].get_ref<Json::object_t&>())
          all.emplace_back(name, std::move(value));
      }
    }
    if (frames[0] != frames[1])
      print_error(
          "tactus: note: more names than one request holds: the values are of frames %lld to %lld; pause the "
          "rig "
          "for values of one frame\n",
          static_cast<long long>(frames[0]), static_cast<long long>(frames[1]));
    if (json_) {
      print(answer, "");
      return kOk;
    }
    std::unordered_map<std::string_view, const Json*> values;
    if (answer["values"].is_object())
      for (const auto& [name, value] : answer["values"].get_ref<const Json::object_t&>())
        values.emplace(name, &value);
    for (const client::VariableFacts& each : found) {
      const auto at = values.find(each.name);
      const Json value = at == values.end() ? Json() : *at->second;
      const std::string text = value.is_string() ? config::one_line(value.get<std::string>()) : value.dump();
      put("%-*s  %s%s%s\n", static_cast<int>(width), each.name.c_str(), text.c_str(),
          each.unit.empty() ? "" : " ", each.unit.c_str());
    }
    return kOk;
  }
};

/// set, force, release.
class ChangeCommand final : public ToRunningRig {
 public:
  explicit ChangeCommand(const CommandRow& row) : name_(row.word), about_(row.from_outside) {}

  void declare(CLI::App& app) override {
    app.description(about_);
    declare_rig(
        app, releases() ? "RIG|VARIABLES" : "RIG|CHANGES",
        releases()
            ? "the rig, as --rig takes it, then names of variables, or all"
            : "the rig, as --rig takes it, then NAME=VALUE; a value may have a unit: 'motor.speed=600 rpm'");
  }

 private:
  bool releases() const { return name_ == std::string_view("release"); }

  void take_words() override {
    if (!words_.empty() && words_.front() != "all" && words_.front().find('=') == std::string::npos &&
        client::looks_like_address(words_.front()))
      take_first_as_rig();
    if (words_.empty())
      throw CommandError(kWrongInput,
                         std::string(name_) + ": " +
                             (releases() ? "which variables? Their names, or all"
                                         : "which variable, and which value? As motor.speed=2.5"));
    if (releases()) {
      const bool all = words_.size() == 1 && words_.front() == "all";
      body_["release"] = all ? Json("all") : Json(words_);
      return;
    }
    for (const std::string& word : words_) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0)
        throw CommandError(kWrongInput, std::string(name_) + ": " + config::show(word) +
                                            " is not a change; write NAME=VALUE, as motor.speed=2.5");
      const std::string variable = word.substr(0, equals);
      if (body_[name_].contains(variable))
        throw CommandError(kWrongInput, std::string(name_) + ": " + config::show(variable) +
                                            " is given twice; remove one of the two");
      const std::string text = word.substr(equals + 1);
      const Json value = config::json_of(text);  // a number, true, a list; else text: "600 rpm"
      if (value.is_number()) bare_.push_back(variable);
      body_[name_][variable] = value.is_discarded() || value.is_object() ? Json(text) : value;
    }
  }

  int give() override {
    const Json answer = send("/v1/values", body_);
    const std::int64_t frame = answer.is_object() ? answer.value("frame", std::int64_t{-1}) : -1;
    const bool applied = answer.is_object() && answer.value("applied", false);
    print(answer, rig_.rig + ": " + name_ + (applied ? " took effect in frame " : " waits for frame ") +
                      std::to_string(frame));
    if (!json_ && answer.is_object() && answer.contains("notes"))
      for (const Json& note : answer["notes"])
        put("note: %s\n", config::one_line(note.get<std::string>()).c_str());
    if (!json_) say_units();
    return kOk;
  }

  /// A number without a unit is one of the variable's own unit, which its writer may not have meant.
  void say_units() const try {
    constexpr std::size_t kMost = 3;  // of many one stands for the rest
    std::size_t left_out = 0;
    std::vector<client::VariableFacts> found = client::find_variables(rig_, bare_, bare_.size(), left_out);
    std::erase_if(found, [](const client::VariableFacts& each) { return each.unit.empty(); });
    const auto value = [&](const client::VariableFacts& each) { return body_[name_][each.name].dump(); };
    if (found.size() > kMost) {
      const client::VariableFacts& first = found.front();
      put("note: %zu numbers are of the unit of their variable, as %s of %s; a unit may be written: '%s=%s "
          "%s'\n",
          found.size(), value(first).c_str(), first.unit.c_str(), first.name.c_str(), value(first).c_str(),
          first.unit.c_str());
      return;
    }
    for (const client::VariableFacts& each : found)
      put("note: %s: %s is a number of %s, the unit of the variable; a unit may be written: '%s=%s %s'\n",
          each.name.c_str(), value(each).c_str(), each.unit.c_str(), each.name.c_str(), value(each).c_str(),
          each.unit.c_str());
  } catch (const client::NoRigError&) {  // the rig has ended since
  }

  const char* name_;
  const char* about_;
  Json body_ = Json::object();
  std::vector<std::string> bare_{};  ///< variables whose new value is a number without a unit
};

/// Faults, stimuli and recordings: lists them, or switches one.
class SwitchCommand final : public ToRunningRig {
 public:
  void declare(CLI::App& app) override {
    app.description("switch a fault, a stimulus or a recording of a running rig, or list them");
    declare_rig(app, "RIG|SWITCH",
                "the rig, as --rig takes it, then what is switched: fault, stimulus or record, its name, and "
                "on or off; "
                "nothing: list all");
  }
  bool is_for_its_output() const override { return words_.empty(); }  // the list

 private:
  static bool is_kind(const std::string& word) {
    return word == "fault" || word == "stimulus" || word == "record";
  }

  void take_words() override {
    const bool names_rig =
        words_.size() == 1 || words_.size() == 4 || (!words_.empty() && !is_kind(words_.front()));
    if (names_rig) take_first_as_rig();
    if (words_.empty()) return;
    if (words_.size() != 3)
      throw CommandError(
          kWrongInput,
          "switch: " + config::show(words_.front()) +
              " and what follows are not a switch; write KIND NAME on|off, as fault encoder_stuck on");
    if (!is_kind(words_[0]))
      throw CommandError(kWrongInput, "switch: there is no kind " + config::show(words_[0]) +
                                          "; there are fault, stimulus and record");
    if (words_[2] != "on" && words_[2] != "off")
      throw CommandError(kWrongInput, "switch: " + config::show(words_[2]) + " is neither on nor off");
  }

  int give() override {
    if (words_.empty()) return list();
    const bool on = words_[2] == "on";
    Json row;
    look_up(row);
    const Json before = row;
    const Json answer = send("/v1/switches", {{"kind", words_[0]}, {"name", words_[1]}, {"on", on}});
    const Json state = ask("/v1/state");
    const bool paused = state.is_object() && state.value("paused", false);  // its next frame is far away
    // What is off stays off, and what records goes on: nothing changes that could be waited for.
    const bool is_already =
        !paused && before.is_object() && before["on"] == Json(on) && (!on || words_[0] == "record");
    for (int looks = 0; looks < 50 && !json_ && !paused && !is_already && !is_so(row, before, on); ++looks) {
      if (looks > 0) std::this_thread::sleep_for(20ms);
      look_up(row);
    }
    const std::string since = is_already ? std::string(" already")
                              : is_so(row, before, on) && row["since"].is_number()
                                  ? " from frame " + std::to_string(row["since"].get<std::int64_t>()) + " on"
                                  : std::string(" from the next frame on");
    print(answer, rig_.rig + ": " + words_[0] + " " + words_[1] + " is " + words_[2] + since);
    return kOk;
  }

  Json all() const {
    const Json answer = ask("/v1/switches");
    return answer.is_object() ? answer.value("switches", Json::array()) : Json::array();
  }
  /// Reads the row of the switch that the words name; `row` stays as it is where the rig has none.
  void look_up(Json& row) const {
    for (const Json& each : all())
      if (each.value("kind", "") == words_[0] && each.value("name", "") == words_[1]) row = each;
  }
  /// One that is switched on again begins anew.
  static bool is_so(const Json& row, const Json& before, bool on) {
    return row.is_object() && row["on"] == Json(on) &&
           (before.is_null() || before["on"] != Json(on) || row != before);
  }

  int list() {
    const Json switches = all();
    if (json_) {
      print(switches, "");
      return kOk;
    }
    std::size_t width = 0;
    for (const Json& each : switches) width = std::max(width, each.value("name", "").size());
    for (const Json& each : switches)
      put("%-8s  %-*s  %-7s  %s%s\n", each.value("kind", "").c_str(), static_cast<int>(width),
          config::one_line(each.value("name", "")).c_str(), each.value("state", "").c_str(),
          config::one_line(each.value("target", "")).c_str(),
          each["since"].is_number()
              ? ("  since frame " + std::to_string(each["since"].get<std::int64_t>())).c_str()
              : "");
    if (switches.empty()) put("the rig has no faults, stimuli or recordings\n");
    return kOk;
  }
};

}  // namespace

std::unique_ptr<CommandDriver> get_command() { return std::make_unique<GetCommand>(); }
std::unique_ptr<CommandDriver> switch_command() { return std::make_unique<SwitchCommand>(); }
std::unique_ptr<CommandDriver> running_rig_command(const CommandRow& row) {
  if (row.taken == CommandTaken::at_step_begin) return std::make_unique<ChangeCommand>(row);
  return std::make_unique<RigCommand>(row);
}

}  // namespace tactus::app
