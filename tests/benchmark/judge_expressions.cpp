// SPDX-License-Identifier: Apache-2.0
// What does an expression of five operators cost a frame, and a temporal operator, against the same compiled as C++?
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/capability/judge/monitor.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/judge_cases.hpp"

namespace tactus::benchmark {
namespace {

using namespace tactus::executive;

constexpr std::size_t kMany = 100;  // expressions in a test
constexpr std::uint32_t kEach = 4;  // variables of an expression

/// Four variables a, b, c, d for each expression: "a7".
class Names final : public config::ExpressionNames {
 public:
  std::optional<Found> find(const std::string& name, std::string&) const override {
    const auto number = static_cast<std::uint32_t>(std::stoul(name.substr(1)));
    Found found;
    found.key = number * kEach + static_cast<std::uint32_t>(name[0] - 'a');
    return found;
  }
};

using Function = double (*)(const double* v);
// Each expression is a function of its own: the compiler may not do two at a time, as it could not in a test.
[[gnu::noinline]] double five_operators(const double* v) {
  return v[0] * 2 + v[1] > 300 && std::abs(v[2]) < v[3] ? 1 : 0;
}
[[gnu::noinline]] double one_compare(const double* v) { return v[0] > 300 ? 1 : 0; }

/// The same expression over variables of its own, many times.
class Subject {
 public:
  explicit Subject(const std::string& text) : values_(kMany * kEach) {
    Names names;
    config::ExpressionBuilder builder(names, {});
    std::vector<config::ExpressionProblem> problems;
    for (std::size_t i = 0; i < kMany; ++i) {
      std::string mine;
      for (const char c : text) mine += c == '#' ? std::to_string(i) : std::string(1, c);
      const auto value = builder.add(config::parse_expression(mine), problems);
      if (!value) throw std::logic_error(mine + ": " + problems.at(0).message);
      results_.push_back(value->cell);
    }
    run_ = std::make_unique<ExpressionRun>(builder.take());
    for (const config::ProgramInput& input : run_->program().inputs)
      sources_.add(TACTUS_DOUBLE, &values_[input.key], input.cell);
  }
  void move(std::int64_t k) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = 250.0 + static_cast<double>((static_cast<std::uint64_t>(k) * 7 + i * 13) % 100);
  }
  /// As a frame does it: takes the variables, and evaluates.
  double ours() {
    sources_.look(*run_);
    run_->run();
    double sum = 0;
    for (const std::uint32_t cell : results_) sum += run_->cell(cell).real;
    return sum;
  }
  double compiled(Function function) const {
    double sum = 0;
    for (std::size_t i = 0; i < kMany; ++i) sum += function(&values_[i * kEach]);
    return sum;
  }
  std::size_t instructions() const { return run_->program().instructions.size(); }

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> results_;
  std::unique_ptr<ExpressionRun> run_;
  VariableSources sources_;
};

double timed(std::int64_t frames, const std::function<void(std::int64_t)>& frame) {
  const std::int64_t begin = cpu_ns();
  for (std::int64_t k = 0; k < frames; ++k) frame(k);
  return static_cast<double>(cpu_ns() - begin) / static_cast<double>(frames) / kMany;
}

void ask(const char* question, const char* title, const std::string& text, Function function, double goal,
         bool same, bool quick) {
  Subject subject(text);
  for (std::int64_t k = 0; same && k < 200; ++k) {
    subject.move(k);
    if (subject.ours() != subject.compiled(function)) throw std::logic_error(text + ": C++ says otherwise");
  }
  const std::int64_t frames = quick ? 2'000 : 10'000;
  double sum = 0;
  const Turns turns = take_turns({{"expression",
                                   [&] {
                                     return timed(frames, [&](std::int64_t) {
                                       sum += subject.ours();
                                       keep(sum);
                                     });
                                   }},
                                  {"C++",
                                   [&] {
                                     return timed(frames, [&](std::int64_t) {
                                       sum += subject.compiled(function);
                                       keep(sum);
                                     });
                                   }}},
                                 quick ? 5 : 25);
  answer(question, {{"expression", title},
                    {"number", kMany},
                    {"instructions", subject.instructions()},
                    {"expression_ns", to_json(turns.of(0))},
                    {"compiled_ns", to_json(turns.of(1))},
                    {"to_compiled", to_json(turns.ratio(0, 1))},
                    {"goal_to_compiled", goal}});
}

/// An expectation, beside the compare that is its condition: both compiled.
void ask_monitor(const char* title, const Monitor::Choices& choices, std::int64_t opens_every, bool quick) {
  std::vector<double> values(kMany);
  for (std::size_t i = 0; i < kMany; ++i) values[i] = 250 + static_cast<double>(i);
  std::vector<Monitor> monitors(kMany, Monitor(choices));
  const std::int64_t frames = quick ? 2'000 : 10'000;
  std::int64_t k = 0;
  double sum = 0;
  const Turns turns = take_turns({{"expectation",
                                   [&] {
                                     return timed(frames, [&](std::int64_t) {
                                       ++k;
                                       for (std::size_t i = 0; i < kMany; ++i) {
                                         Monitor::Sample sample;
                                         sample.holds = one_compare(&values[i]);
                                         sample.opens = opens_every > 0 && k % opens_every == 0;
                                         monitors[i].take(k, sample);
                                       }
                                       keep(monitors);
                                     });
                                   }},
                                  {"C++",
                                   [&] {
                                     return timed(frames, [&](std::int64_t) {
                                       for (const double& value : values) sum += one_compare(&value);
                                       keep(sum);
                                     });
                                   }}},
                                 quick ? 5 : 25);
  answer("what does a temporal operator cost?", {{"expression", title},
                                                 {"number", kMany},
                                                 {"expression_ns", to_json(turns.of(0))},
                                                 {"compiled_ns", to_json(turns.of(1))},
                                                 {"to_compiled", to_json(turns.ratio(0, 1))},
                                                 {"goal_to_compiled", 8}});
}

}  // namespace

void measure_expressions(bool quick) {
  ask("what does an expression of five operators cost?", "a * 2 + b > 300 and abs(c) < d",
      "a# * 2 + b# > 300 and abs(c#) < d#", &five_operators, 4, true, quick);
  const char* const temporal = "what does a temporal operator cost?";
  ask(temporal, "a > 300 for 20 ms", "a# > 300 for 20 ms", &one_compare, 8, false, quick);
  ask(temporal, "rises(a > 300)", "rises(a# > 300)", &one_compare, 8, false, quick);
  ask(temporal, "prev(a) > 300", "prev(a#) > 300", &one_compare, 8, false, quick);
  for (const char* const window : {"min", "max", "mean", "rms"})
    for (const char* const length : {"10 ms", "500 ms"}) {
      const std::string of = std::string(window) + "(a";
      const std::string title = of + ", " + length + ") > 300";
      ask(temporal, title.c_str(), of + "#, " + length + ") > 300", &one_compare, 8, false, quick);
    }
  Monitor::Choices always;
  ask_monitor("expect always a > 300", always, 0, quick);
  Monitor::Choices within;
  within.kind = Monitor::Kind::within;
  within.ticks = 1'000'000'000;
  ask_monitor("expect after B: a > 300 within T", within, 50, quick);
}

}  // namespace tactus::benchmark
