// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/live_options.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/client/chart.hpp"
#include "executive/client/samples.hpp"
#include "executive/client/terminal.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kValuesTimeout{10};
constexpr std::size_t kMostCurves = 6;
constexpr std::size_t kLabel = 11;  // columns for the numbers beside a chart

constexpr std::size_t kBridge = 8;  // columns without a sample that are no gap

/// A curve, its chart, and its least and greatest value since the last line.
struct Curve {
  client::VariableFacts facts;
  client::Chart chart;
  std::optional<double> least{}, greatest{};

  void add(std::int64_t time_ns, double value) {
    chart.add(time_ns, value);
    if (!std::isfinite(value)) return;
    least = std::min(least.value_or(value), value);
    greatest = std::max(greatest.value_or(value), value);
  }
};

class ScopeCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("draw variables of a running rig as a chart of characters");
    app.add_option("VARIABLES", words_, "up to 6 variables or expressions, optionally preceded by the rig")
        ->required();
    options_.declare(app, "draw this often, default 200ms; print lines this often, default 1s");
    app.add_option("--window", window_text_, "show this much time in the chart; default 10s")
        ->option_text("TIME");
    app.add_option("--for", for_text_, "stop this long after the first value, and print the final chart")
        ->option_text("TIME");
    app.add_flag("--ascii", ascii_, "draw with letters instead of braille characters");
  }

  bool is_for_its_output() const override { return true; }
  int run() override;

 private:
  void make_curves(std::size_t columns);
  std::vector<std::string> chart_lines(std::size_t columns, std::size_t rows) const;
  void print_line();

  std::vector<std::string> words_;
  LiveOptions options_;
  std::string window_text_, for_text_;
  bool ascii_ = false;

  client::FoundRig rig_;
  std::vector<Curve> curves_;
  std::chrono::milliseconds window_{10'000};
  std::int64_t frame_ = -1;
  std::int64_t missing_ = 0;
  bool every_frame_ = false;
};

int ScopeCommand::run() {
  if (!window_text_.empty()) window_ = read_interval("--window", window_text_);
  std::optional<std::chrono::milliseconds> limit;
  if (!for_text_.empty()) limit = read_interval("--for", for_text_);
  rig_ = options_.find_rig(words_, 2);
  std::size_t left_out = 0;
  const auto found = client::find_variables(rig_, words_, kMostCurves, left_out);
  if (left_out > 0)
    throw CommandError(kWrongInput, "a scope shows at most " + std::to_string(kMostCurves) +
                                        " variables, these are " + std::to_string(found.size() + left_out));
  std::vector<std::string> names;
  for (const client::VariableFacts& each : found) {
    if (!each.number)
      throw CommandError(kWrongInput, config::show(each.name) +
                                          " is an array; name one of its elements, as " + each.name + "[0]");
    names.push_back(each.name);
  }
  client::Terminal terminal;
  const bool chart = terminal.drawable() || limit;
  ascii_ = ascii_ || !client::Terminal::speaks_utf8();
  options_.read(terminal.drawable() ? std::chrono::milliseconds(200) : std::chrono::milliseconds(1000));
  std::size_t columns = terminal.columns();
  for (const client::VariableFacts& each : found) curves_.push_back({each, client::Chart(2, 1), {}, {}});
  client::Samples samples(rig_, names);
  every_frame_ = samples.every_frame();
  make_curves(columns);
  const client::SampleSink sink{[this](std::int64_t frame, const std::vector<double>& values) {
                                  frame_ = frame;
                                  for (std::size_t i = 0; i < curves_.size(); ++i)
                                    curves_[i].add(frame * rig_.period_ns, values[i]);
                                },
                                [this](std::int64_t missing, bool anew) {
                                  missing_ += missing;
                                  if (anew)
                                    for (Curve& curve : curves_) curve.chart.clear();
                                },
                                [](const std::string&) {}};
  auto begin = Clock::now() + kValuesTimeout;  // of the limit: when the first value came
  auto drawn = Clock::now();
  bool going = true;
  while (going && !client::Terminal::stop_asked_for() && !(limit && Clock::now() - begin >= *limit)) {
    const bool waits = frame_ < 0;
    going = samples.wait(50, sink);
    if (waits && frame_ >= 0) begin = Clock::now();
    if (Clock::now() - drawn < options_.interval) continue;
    drawn = Clock::now();
    if (terminal.drawable()) {
      if (terminal.columns() != columns) make_curves(columns = terminal.columns());
      terminal.draw(chart_lines(columns, terminal.rows()));
    } else if (!chart && frame_ >= 0) {
      print_line();
    }
  }
  if (terminal.drawable()) {
    terminal.draw(chart_lines(columns, terminal.rows()));
  } else if (chart) {
    for (const std::string& line : chart_lines(columns, 24)) put("%s\n", line.c_str());
  }
  if (!going) put("the run is over\n");
  return kOk;
}

/// Makes the charts for that many columns of the terminal. The time of a column of dots is a whole number of
/// frames.
void ScopeCommand::make_curves(std::size_t columns) {
  const std::size_t places = columns - kLabel - 1;
  const std::size_t dots = ascii_ ? places : 2 * places;
  const std::int64_t window = std::chrono::nanoseconds(window_).count();
  const std::int64_t frames =
      std::max<std::int64_t>(1, window / static_cast<std::int64_t>(dots) / rig_.period_ns);
  for (Curve& curve : curves_)
    curve.chart = client::Chart(dots, frames * rig_.period_ns, every_frame_ ? 0 : kBridge);
}

std::vector<std::string> ScopeCommand::chart_lines(std::size_t columns, std::size_t rows) const {
  std::vector<std::string> lines;
  std::string head = config::one_line(rig_.rig) + "  frame " + std::to_string(frame_) + "  " +
                     (every_frame_ ? "every frame" : "up to 100 samples a second") +
                     (missing_ > 0 ? ", " + std::to_string(missing_) + " frames missing" : "");
  lines.push_back(client::fitted(head, columns - 1));
  const std::size_t room = rows > 3 ? rows - 3 : 1;
  const std::size_t height = std::clamp<std::size_t>(room / curves_.size(), 4, 14) - 1;
  for (const Curve& curve : curves_) {
    const std::string unit = curve.facts.unit.empty() ? "" : " " + curve.facts.unit;
    const bool any = !curve.chart.empty() || curve.chart.not_finite() > 0;
    const std::string value = any ? client::number_text(curve.chart.newest()) + unit : "no value yet";
    const std::string missing =
        curve.chart.not_finite() > 0 ? "  (" + std::to_string(curve.chart.not_finite()) + " not finite)" : "";
    lines.push_back(
        client::fitted(client::named_value(curve.facts.name, value + missing, columns - 1), columns - 1));
    const std::vector<std::string> drawn = curve.chart.draw(height, ascii_);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      std::string label;
      if (!curve.chart.empty() && i == 0) label = client::number_text(curve.chart.greatest(), kLabel - 1);
      if (!curve.chart.empty() && i + 1 == drawn.size())
        label = client::number_text(curve.chart.least(), kLabel - 1);
      lines.push_back(client::fitted(label, kLabel - 1, true) + (ascii_ ? "|" : "\u2502") + drawn[i]);
    }
  }
  lines.push_back(client::fitted(std::string(kLabel, ' ') +
                                     rtsync::duration_text(std::chrono::nanoseconds(window_).count()) +
                                     " up to now; least and greatest of each column",
                                 columns - 1));
  return lines;
}

void ScopeCommand::print_line() {
  std::string line =
      "frame " + std::to_string(frame_) + "  t " + rtsync::sim_time_text(frame_ * rig_.period_ns);
  for (Curve& curve : curves_) {
    line += "  " + curve.facts.name + " " + (curve.least ? client::number_text(*curve.least) : "-") + " .. " +
            (curve.greatest ? client::number_text(*curve.greatest) : "-") +
            (curve.facts.unit.empty() ? "" : " " + curve.facts.unit);
    curve.least.reset();
    curve.greatest.reset();
  }
  put("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace

std::unique_ptr<CommandDriver> scope_command() { return std::make_unique<ScopeCommand>(); }

}  // namespace tactus::app
