// SPDX-License-Identifier: Apache-2.0
// How fast do SIL Kit participants step together, how late is a message, how long does joining take, and what
// does it cost, beside the genuine library (TACTUS_SILKIT_ROOT) in turns?
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using namespace std::chrono_literals;
using tactus::benchmark::Json;
using tactus::test::Process;

struct Side {
  std::string library;
  std::vector<std::string> registry;
};

std::vector<Side> sides() {
  std::vector<Side> all{{TACTUS_SILKIT_LIBRARY, {TACTUS_COMMAND, "registry"}}};
  if (const char* const root = std::getenv("TACTUS_SILKIT_ROOT"); root != nullptr && *root != '\0')
    all.push_back({std::string(root) + "/lib/libSilKit.so", {std::string(root) + "/bin/sil-kit-registry"}});
  return all;
}

/// A registry and what is run with it, in a folder of its own.
class Stage {
 public:
  explicit Stage(const Side& side) : side_(side) {
    auto argv = side.registry;
    argv.insert(argv.end(), {"-u", "silkit://127.0.0.1:0"});
    registry_.emplace(command(std::move(argv)));
    const std::string words = "listening on ";
    for (const auto end = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < end;) {
      (void)registry_->wait_for_output(words, 10ms);
      const std::size_t begin = registry_->out().find(words);
      const std::size_t line = begin == std::string::npos ? begin : registry_->out().find('\n', begin);
      if (line == std::string::npos) continue;
      uri_ = registry_->out().substr(begin + words.size(), line - begin - words.size());
      return;
    }
    throw std::runtime_error("no registry: " + registry_->out() + registry_->err());
  }

  std::unique_ptr<Process> play(const std::string& name, std::vector<std::string> arguments) const {
    std::vector<std::string> argv{TACTUS_SILKIT_PARTICIPANT, side_.library, name, uri_, "say=no"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return std::make_unique<Process>(command(std::move(argv)));
  }

  std::unique_ptr<Process> start(std::vector<std::string> argv) const {
    return std::make_unique<Process>(command(std::move(argv)));
  }
  const std::string& uri() const { return uri_; }

  static Json end_of(Process& process) {
    const auto& done = process.wait(60s);
    const Json end = Json::parse(done.out, nullptr, false);
    if (done.status != 0 || !end.is_object())
      throw std::runtime_error("a participant failed: " + done.out + done.err);
    return end;
  }

 private:
  tactus::test::Command command(std::vector<std::string> argv) const {
    return {.argv = std::move(argv), .env = {{"TMPDIR", dir_.path().string()}}, .cwd = dir_.path()};
  }

  Side side_;
  tactus::test::TempDir dir_;
  std::optional<Process> registry_;
  std::string uri_;
};

struct Setup {
  int participants;
  bool domain;
  bool async;
  bool data;  ///< a message of 64 bytes from each to the next in each step
  int steps;
};

struct Figures {
  double steps_per_s = 0;
  double cpu_ns = 0;    ///< per step, all participants together
  double join_ms = 0;   ///< from the start of the first process until all run
  double peak_mib = 0;  ///< of the largest participant
};

Figures measure(const Side& side, const Setup& setup) {
  const Stage stage(side);
  std::string names;
  for (int i = 0; i < setup.participants; ++i) names += (i == 0 ? "P" : ",P") + std::to_string(i);
  const int warm = setup.steps / 10;
  std::vector<std::string> common{"warm=" + std::to_string(warm), setup.async ? "async=yes" : "async=no"};
  if (!setup.domain) common.emplace_back(R"(config={"Middleware": {"EnableDomainSockets": false}})");
  std::vector<std::unique_ptr<Process>> all;
  const std::int64_t begin = tactus::benchmark::now_ns();
  for (int i = 0; i < setup.participants; ++i) {
    auto arguments = common;
    if (setup.data)
      arguments.insert(arguments.end(), {"publish=t" + std::to_string(i),
                                         "hear=t" + std::to_string((i + 1) % setup.participants)});
    if (i == 0)
      arguments.insert(arguments.end(), {"steps=" + std::to_string(setup.steps), "workflow=" + names});
    all.push_back(stage.play("P" + std::to_string(i), arguments));
  }
  Figures figures;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json end = Stage::end_of(*all[i]);
    const double steps = end["steps"].get<double>() - warm;
    if (i == 0)
      figures.steps_per_s = steps * 1e9 / (end["end_ns"].get<double>() - end["begin_ns"].get<double>());
    figures.cpu_ns += end["cpu_ns"].get<double>() / steps;
    figures.join_ms =
        std::max(figures.join_ms, (end["running_ns"].get<double>() - static_cast<double>(begin)) / 1e6);
    figures.peak_mib = std::max(figures.peak_mib, end["peak_kib"].get<double>() / 1024);
  }
  return figures;
}

/// Publish to receive, without virtual time; nanoseconds.
Json latency(const Side& side, bool domain, int count) {
  const Stage stage(side);
  const std::string config = domain ? "config=" : R"(config={"Middleware": {"EnableDomainSockets": false}})";
  const auto hears = stage.play("Hears", {"mode=none", "say=yes", "hear=x", config});
  if (!hears->wait_for_output("joined")) throw std::runtime_error("not joined: " + hears->err());
  const auto speaks = stage.play("Speaks", {"mode=none", "say=yes", "publish=x", "every_us=500",
                                            "count=" + std::to_string(count), config});
  if (!speaks->wait_for_output("published")) throw std::runtime_error("not published: " + speaks->err());
  hears->signal(SIGTERM);
  const std::string out = hears->wait(10s).out;
  const std::size_t line = out.rfind("\n{") + 1;  // others may still be told of behind it
  const Json end = Json::parse(out.substr(line, out.find('\n', line) - line), nullptr, false);
  if (!end.is_object()) throw std::runtime_error("nothing heard: " + out);
  return end["heard"]["x"]["latency_ns"];
}

struct Answers {
  double back_p50_ns = 0, back_p99_ns = 0;                      ///< from the answer to its reception
  double there_and_back_p50_ns = 0, there_and_back_p99_ns = 0;  ///< from the question
};

/// One asks every 500 us, the other answers in its handler, which then goes on for `work_us`.
Answers answers(const Side& side, const std::string& config, int work_us, int count) {
  const Stage stage(side);
  const auto answerer = stage.start(
      {TACTUS_SILKIT_CONVERSATION, side.library, "answers", stage.uri(), std::to_string(work_us), config});
  if (!answerer->wait_for_output("joined")) throw std::runtime_error("not joined: " + answerer->err());
  const auto asker = stage.start(
      {TACTUS_SILKIT_CONVERSATION, side.library, "asks", stage.uri(), std::to_string(count), "500", config});
  const auto& done = asker->wait(60s);
  const std::size_t line = done.out.rfind("\n{") + 1;
  const Json end = Json::parse(done.out.substr(line), nullptr, false);
  if (done.status != 0 || !end.is_object() || end["answers"] != count)
    throw std::runtime_error("not answered: " + done.out + done.err + answerer->err());
  const auto of = [&](const char* way, const char* quantile) { return end[way][quantile].get<double>(); };
  return {of("back_ns", "p50"), of("back_ns", "p99"), of("there_and_back_ns", "p50"),
          of("there_and_back_ns", "p99")};
}

using Member = double Figures::*;

/// One figure of all rounds.
Json spread(const std::vector<Figures>& rounds, Member member) {
  std::vector<double> values;
  for (const Figures& round : rounds) values.push_back(round.*member);
  return to_json(tactus::benchmark::spread_of(std::move(values)));
}

constexpr const char* kNames[] = {"ours", "genuine"};

void step_together(const std::vector<Side>& all, const Setup& setup, int rounds, const char* question) {
  std::vector<std::vector<Figures>> figures(all.size());
  for (int round = -1; round < rounds; ++round)  // the first one warms up
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t side = (i + static_cast<std::size_t>(round + 1)) % all.size();
      const Figures measured = measure(all[side], setup);
      if (round >= 0) figures[side].push_back(measured);
    }
  Json answer{{"participants", setup.participants},
              {"sockets", setup.domain ? "domain" : "tcp"},
              {"steps", setup.async ? "async" : "blocking"},
              {"message_bytes", setup.data ? 64 : 0},
              {"steps_made", setup.steps},
              {"rounds", rounds}};
  for (std::size_t side = 0; side < all.size(); ++side)
    answer[kNames[side]] = {{"steps_per_s", spread(figures[side], &Figures::steps_per_s)},
                            {"cpu_ns_per_step", spread(figures[side], &Figures::cpu_ns)},
                            {"join_ms", spread(figures[side], &Figures::join_ms)},
                            {"peak_mib", spread(figures[side], &Figures::peak_mib)}};
  tactus::benchmark::answer(question, answer);
}

void answer_each_other(const std::vector<Side>& all, const std::string& way, const std::string& config,
                       int work_us, bool quick) {
  const int rounds = quick ? 1 : 7;
  const int count = quick ? 500 : 2'000;
  std::vector<std::vector<Answers>> figures(all.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t side = (i + static_cast<std::size_t>(round)) % all.size();
      figures[side].push_back(answers(all[side], side == 0 ? config : "", work_us, count));
    }
  Json answer{
      {"way", way}, {"message_bytes", 64}, {"every_us", 500}, {"handler_us", work_us}, {"rounds", rounds}};
  const std::pair<const char*, double Answers::*> members[] = {
      {"back_p50_ns", &Answers::back_p50_ns},
      {"back_p99_ns", &Answers::back_p99_ns},
      {"there_and_back_p50_ns", &Answers::there_and_back_p50_ns},
      {"there_and_back_p99_ns", &Answers::there_and_back_p99_ns}};
  for (const auto& [name, member] : members) {
    std::vector<double> ratios;
    for (std::size_t side = 0; side < all.size(); ++side) {
      std::vector<double> values;
      for (const Answers& round : figures[side]) values.push_back(round.*member);
      answer[kNames[side]][name] = to_json(tactus::benchmark::spread_of(values));
    }
    if (all.size() < 2) continue;
    for (std::size_t round = 0; round < figures[0].size(); ++round)
      ratios.push_back(figures[0][round].*member / figures[1][round].*member);
    answer["to_genuine"][name] = to_json(tactus::benchmark::spread_of(std::move(ratios)));
  }
  if (all.size() < 2) answer["to_genuine"] = "skipped: TACTUS_SILKIT_ROOT names no genuine SIL Kit";
  tactus::benchmark::answer("how late is an answer that a handler publishes?", answer);
}

void run(bool quick) {
  const std::vector<Side> all = sides();
  const int rounds = quick ? 1 : 7;
  for (const int participants : quick ? std::vector{2} : std::vector{2, 4, 8})
    for (const bool domain : {true, false})
      for (const bool async : {false, true})
        for (const bool data : {false, true})
          step_together(all, {participants, domain, async, data, (quick ? 2'000 : 20'000) / participants},
                        rounds, "how many steps per second do participants make together?");
  for (const int participants : quick ? std::vector{32} : std::vector{32, 64})
    step_together(all, {participants, true, false, false, 200}, quick ? 1 : 3,
                  "how long does a crowd take to join, and how much memory has each?");
  for (const bool domain : {true, false}) {
    Json answer{{"sockets", domain ? "domain" : "tcp"}, {"message_bytes", 64}, {"every_us", 500}};
    for (std::size_t side = 0; side < all.size(); ++side)
      answer[kNames[side]] = latency(all[side], domain, quick ? 1'000 : 10'000);
    tactus::benchmark::answer("how late is a message at its subscriber?", answer);
  }
  const std::string sockets = "Tactus: {SharedMemory: false}";
  for (const int work_us : {0, 10, 100}) {
    answer_each_other(all, "as configured", "", work_us, quick);
    answer_each_other(all, "sockets", sockets, work_us, quick);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "How fast do SIL Kit participants step together?",
                                          &run);
}
