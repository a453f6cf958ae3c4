// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/live_options.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/client/chart.hpp"
#include "executive/client/event_stream.hpp"
#include "executive/client/http_stream.hpp"
#include "executive/client/samples.hpp"
#include "executive/client/terminal.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

using client::VariableFacts;

constexpr std::size_t kMostWatched = 200;
constexpr std::size_t kLongestNames =
    15'000;  // the control port reads 16384 characters of a request's target
constexpr std::size_t kMostHappened = 4;

/// A value as /v1/watch has it: a number, a word, or a list.
std::string shown_value(const Json& value) {
  if (value.is_number_float()) return client::number_text(value.get<double>());
  if (value.is_null()) return "-";
  if (value.is_string()) return config::one_line(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (!value.is_array()) return value.is_structured() ? "..." : value.dump();
  std::string all;
  for (const Json& each : value) {
    if (all.size() > 60) return "[" + all + ", ...]";
    all += (all.empty() ? "" : ", ") + shown_value(each);
  }
  return "[" + all + "]";
}

/// A variable, and what was seen of it.
struct WatchedRow {
  VariableFacts facts;
  std::string value = "-";
  std::optional<double> least{}, greatest{};

  void take(const Json& now) {
    value = shown_value(now);
    if (!now.is_number()) return;
    const double number = now.get<double>();
    least = std::min(least.value_or(number), number);
    greatest = std::max(greatest.value_or(number), number);
  }
};

/// An expectation of the rig's test, and its verdict so far.
struct Verdict {
  std::string name, verdict, says;
  bool counts = true;
};

Verdict verdict_of(const Json& row) {
  const std::string severity = row.value("severity", "");
  return {config::one_line(row.value("name", "")), config::one_line(row.value("verdict", "")),
          config::one_line(row.value("says", "")), severity == "fail" || severity == "stop"};
}

/// "fail          follows: failed in frame 412 (0.412 s), by 0.3 rad/s"
std::string verdict_line(const Verdict& verdict, std::size_t width) {
  const std::string word =
      verdict.verdict + std::string(14 - std::min<std::size_t>(13, verdict.verdict.size()), ' ');
  const bool failed = verdict.verdict == "fail" || verdict.verdict == "error";
  const Ink ink = failed && verdict.counts                      ? Ink::bad
                  : failed || verdict.verdict == "inconclusive" ? Ink::warning
                                                                : Ink::plain;
  const std::string text = word + verdict.name + ": " + verdict.says;
  return painted(ink, width == 0 ? text : client::fitted(text, width));
}

/// Returns what the rig or a client did, in a line; empty: an entry of another kind. `data`: of the journal.
/// "event         moving: frame 412"
std::string event_line(const Json& data) {
  static constexpr std::string_view kShown[] = {"event",          "step",        "step over",
                                                "step timed out", "actions",     "fault on",
                                                "fault off",      "stimulus on", "stimulus off"};
  const std::string what = client::text_in(data, "what"), name = client::text_in(data, "name");
  if (std::ranges::find(kShown, what) == std::end(kShown)) return "";
  if (name.empty()) return "";  // a step that a client commands
  std::string line =
      what + std::string(14 - std::min<std::size_t>(13, what.size()), ' ') + config::one_line(name);
  if (data.contains("frame") && data["frame"].is_number_integer())
    line += ": frame " + std::to_string(data["frame"].get<std::int64_t>());
  return line;
}

class WatchCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("show variables of a running rig as a table, or as lines");
    app.add_option("RIG|VARIABLES", words_,
                   "the rig, as --rig takes it, then names of variables, * for any letters, or expressions; "
                   "default: its times and outputs");
    options_.declare(app, "ask for values this often; default 200ms");
    app.add_flag("--json", json_, "print one JSON object a line, as the control port sends them");
    add_value(app, "--count", count_, "N", "stop after this number of rows")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53));
  }

  bool is_for_its_output() const override { return true; }
  int run() override;

 private:
  void take(const client::EventStream::Event& event);
  void take_values(const Json& data, const std::string& text);
  void read_verdicts();
  void take_verdict(const Json& row);
  void take_event(const Json& entry);
  void draw();
  void print_line() const;
  std::string head() const;

  std::vector<std::string> words_;
  LiveOptions options_;
  bool json_ = false;
  std::int64_t count_ = 0;

  client::FoundRig rig_;
  std::vector<WatchedRow> rows_;
  std::vector<Verdict> verdicts_;
  std::vector<std::string> happened_;  // the newest events, faults and steps
  std::size_t left_out_ = 0;
  client::Terminal* terminal_ = nullptr;
  std::string state_, reason_;
  std::int64_t frame_ = -1, sim_time_ns_ = 0, taken_ = 0;
  std::string forced_;
  bool over_ = false;
};

int WatchCommand::run() {
  options_.read(std::chrono::milliseconds(200));
  rig_ = options_.find_rig(words_, 1);
  read_verdicts();
  const bool chosen = !words_.empty();
  if (!chosen) words_ = {"rt.*", "*"};
  std::vector<VariableFacts> found =
      client::find_variables(rig_, words_, chosen ? kMostWatched : SIZE_MAX, left_out_);
  if (!chosen)
    std::erase_if(found,
                  [](const VariableFacts& each) { return each.role == "parameter" || each.role == "input"; });
  client::Terminal terminal;
  terminal_ = &terminal;
  std::size_t most = kMostWatched;
  if (!chosen && terminal.drawable())
    most = std::max(terminal.rows(), 8 + verdicts_.size() + kMostHappened) - 5 - verdicts_.size() -
           kMostHappened;
  if (found.size() > most) {
    left_out_ += found.size() - most;
    found.resize(most);
  }
  if (found.empty()) throw client::NoRigError("the rig has no variables to show");
  std::string names;
  for (VariableFacts& each : found) {
    const std::string name = (names.empty() ? "" : ",") + client::url_encoded(each.name);
    if (names.size() + name.size() > kLongestNames) break;
    names += name;
    rows_.push_back({std::move(each)});
  }
  left_out_ += found.size() - rows_.size();
  if (left_out_ > 0 && !terminal.drawable())
    print_error(
        "tactus: note: the first %zu of %zu variables are shown, %s; name "
        "those that you want, or print the values of all at once: tactus get '*'\n",
        rows_.size(), rows_.size() + left_out_,
        rows_.size() < found.size() ? "as one request holds no more names" : "as one watch shows no more");
  client::HttpStream http(
      rig_.address, "/v1/watch?names=" + names + "&every=" + std::to_string(options_.interval.count()) + "ms",
      rig_.token);
  client::EventStream events;
  std::string refused;
  while (!client::Terminal::stop_asked_for() && !over_) {
    const auto got = http.wait(200, [&](std::string_view bytes) {
      if (http.answer().status() == 200)
        events.take(bytes, [this](const auto& event) { take(event); });
      else
        refused += bytes;
    });
    if (got == client::HttpStream::Got::end) break;
  }
  if (http.answer().has_head() && http.answer().status() != 200)
    throw client::NoRigError(client::refusal(http.answer().status(), refused));
  if (over_ && count_ == 0 && !json_)
    put("the run is over%s\n", reason_.empty() ? "" : (": " + config::one_line(reason_)).c_str());
  return kOk;
}

void WatchCommand::take(const client::EventStream::Event& event) {
  if (over_) return;
  const Json data = config::json_of(event.data);
  if (!data.is_object()) return;
  if (event.kind == "values") return take_values(data, event.data);
  if (event.kind == "verdict") return take_verdict(data);
  if (event.kind == "journal") return take_event(data);
  if (event.kind == "state") {
    state_ = client::text_in(data, "state");
    if (data.contains("paused") && data["paused"] == true) state_ = "Pause";
    forced_.clear();
    if (data.contains("forced") && data["forced"].is_array() && !data["forced"].empty())
      forced_ = std::to_string(data["forced"].size()) + " forced";
    if (terminal_->drawable() && !json_) draw();
  }
  if (event.kind == "end") {
    reason_ = client::text_in(data, "reason");
    over_ = true;
  }
}

void WatchCommand::take_values(const Json& data, const std::string& text) {
  frame_ = client::number_in(data, "frame", frame_);
  sim_time_ns_ = client::number_in(data, "sim_time_ns", sim_time_ns_);
  if (data.contains("values") && data["values"].is_object())
    for (WatchedRow& row : rows_)
      if (data["values"].contains(row.facts.name)) row.take(data["values"][row.facts.name]);
  if (json_)
    put("%s\n", text.c_str());
  else if (terminal_->drawable())
    draw();
  else
    print_line();
  std::fflush(stdout);
  if (count_ > 0 && ++taken_ >= count_) over_ = true;
}

/// Reads the verdicts so far; a rig that has none, or is older, shows none.
void WatchCommand::read_verdicts() {
  std::string body;
  if (client::get(rig_.address, "/v1/verdicts", rig_.token, body) != 200) return;
  const Json all = Json::parse(body, nullptr, false);
  if (!all.is_object() || !all.contains("expectations") || !all["expectations"].is_array()) return;
  for (const Json& row : all["expectations"])
    if (row.is_object()) verdicts_.push_back(verdict_of(row));
}

void WatchCommand::take_verdict(const Json& row) {
  const std::int64_t id = row.value("id", std::int64_t{-1});
  if (id < 0 || id >= static_cast<std::int64_t>(verdicts_.size())) return;
  Verdict& verdict = verdicts_[static_cast<std::size_t>(id)];
  verdict = verdict_of(row);
  if (json_) return;
  if (terminal_->drawable()) return draw();
  put("%s\n", verdict_line(verdict, 0).c_str());
  std::fflush(stdout);
}

void WatchCommand::take_event(const Json& entry) {
  std::string line = event_line(entry);
  if (line.empty() || json_) return;
  if (!terminal_->drawable()) {
    put("%s\n", line.c_str());
    std::fflush(stdout);
    return;
  }
  happened_.push_back(std::move(line));
  if (happened_.size() > kMostHappened) happened_.erase(happened_.begin());
  draw();
}

std::string WatchCommand::head() const {
  return config::one_line(rig_.rig) + "  " + state_ + "  " +
         (frame_ < 0 ? std::string("no frame yet") : "frame " + std::to_string(frame_)) + "  t " +
         rtsync::sim_time_text(sim_time_ns_) + (forced_.empty() ? "" : "  " + forced_);
}

/// Colour of what a person should not overlook: a frame that overran, or no slack.
Ink row_ink(const WatchedRow& row) {
  const std::string& name = row.facts.name;
  const bool negative = row.value.size() > 1 && row.value.front() == '-';
  if (name == "rt.slack") return negative ? Ink::bad : Ink::plain;
  const bool counts = name == "rt.overrun" || name == "rt.overruns" || name == "rt.lost";
  const bool none = row.value.empty() || row.value == "0" || row.value == "none";
  return counts && !none ? Ink::bad : Ink::plain;
}

void WatchCommand::draw() {
  const std::size_t width = terminal_->columns() - 1;
  const bool wide = width >= 76;  // room for least and greatest
  std::size_t name = 8, unit = 4;
  for (const WatchedRow& row : rows_) {
    name = std::max(name, row.facts.name.size());
    unit = std::max(unit, row.facts.unit.size());
  }
  unit = std::min<std::size_t>(unit, 10);
  const std::size_t numbers = wide ? 3 * 13 : 13;
  name = std::min(name, width - numbers - unit - 2);
  const std::size_t value = width - name - unit - 2 - (wide ? 26 : 0);
  const std::size_t narrow = std::min<std::size_t>(value, wide ? 16 : 24);
  std::vector<std::string> lines{client::fitted(head(), width)};
  std::string title = client::fitted("variable", name) + " " + client::fitted("value", narrow, true) + " " +
                      client::fitted("unit", unit);
  if (wide) title += client::fitted("least", 13, true) + client::fitted("greatest", 13, true);
  lines.push_back(std::move(title));
  for (const WatchedRow& row : rows_) {
    std::string line = client::fitted(row.facts.name, name) + " " +
                       client::fitted(client::value_text(row.value, narrow), narrow, true) + " " +
                       client::fitted(row.facts.unit, unit);
    if (wide)
      line += client::fitted(row.least ? client::number_text(*row.least, 12) : "", 13, true) +
              client::fitted(row.greatest ? client::number_text(*row.greatest, 12) : "", 13, true);
    lines.push_back(painted(row_ink(row), line));
  }
  for (const Verdict& each : verdicts_) lines.push_back(verdict_line(each, width));
  for (const std::string& each : happened_) lines.push_back(client::fitted(each, width));
  if (left_out_ > 0)
    lines.push_back(client::fitted(std::to_string(left_out_) + " more: name those that you want", width));
  terminal_->draw(lines);
}

void WatchCommand::print_line() const {
  std::string line = "frame " + std::to_string(frame_) + "  t " + rtsync::sim_time_text(sim_time_ns_);
  for (const WatchedRow& row : rows_)
    line += "  " + row.facts.name + " " + row.value + (row.facts.unit.empty() ? "" : " " + row.facts.unit);
  put("%s\n", line.c_str());
}

}  // namespace

std::unique_ptr<CommandDriver> watch_command() { return std::make_unique<WatchCommand>(); }

}  // namespace tactus::app
