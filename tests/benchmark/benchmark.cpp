// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmark/benchmark.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string_view>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::benchmark {
namespace {

Json text_or_null(const char* file) {
  const rtsync::FileText text = rtsync::read_host_file("/", file);
  return text.readable() ? Json(text.text) : Json(nullptr);
}

std::string cpu_model() {
  const rtsync::FileText info = rtsync::read_host_file("/", "/proc/cpuinfo");
  for (const std::string_view line : rtsync::lines_of(info.text))
    if (line.starts_with("model name") && line.find(':') != std::string_view::npos)
      return std::string(rtsync::trimmed(line.substr(line.find(':') + 1)));
  return "unknown";
}

const char* preemption(const std::string& version) {
  for (const char* word : {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"})
    if (version.find(word) != std::string::npos) return word;
  return "none";
}

/// How busy the machine is with everything else is part of the figure.
Json machine() {
  utsname kernel{};
  ::uname(&kernel);  // cannot fail: &kernel is ours
  double load[1] = {0};
  return {{"kernel", kernel.release},
          {"preempt", preemption(kernel.version)},
          {"cpu", cpu_model()},
          {"cpus", rtsync::allowed_cpus().count()},
          {"isolated", text_or_null("/sys/devices/system/cpu/isolated")},
          {"governor", text_or_null("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"clock_source", text_or_null("/sys/devices/system/clocksource/clocksource0/current_clocksource")},
          {"load", ::getloadavg(load, 1) == 1 ? Json(rounded(load[0])) : Json(nullptr)},
          {"compiler", BENCHMARK_COMPILER},
          {"build", BENCHMARK_BUILD_TYPE}};
}

Spread pairwise(const std::vector<double>& a, const std::vector<double>& b, double (*f)(double, double)) {
  std::vector<double> values(a.size());
  std::transform(a.begin(), a.end(), b.begin(), values.begin(), f);
  return spread_of(std::move(values));
}

}  // namespace

int run_benchmark(int argc, char** argv, const char* about, void (*run)(bool quick)) noexcept {
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") {
      std::printf("%s\n\n  --quick  a run of a few seconds\n", about);
      return 0;
    }
    if (option != "--quick") {
      std::fprintf(stderr, "%s: unknown option '%s'; there is --quick\n", argv[0], argv[i]);
      return 2;
    }
    quick = true;
  }
  try {
    run(quick);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}

void answer(const std::string& question, const Json& figures) {
  Json line{{"question", question}};
  line.update(figures);
  line["machine"] = machine();
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

std::int64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

std::int64_t cpu_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

std::int64_t process_cpu_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

int stay_on_last_cpu() {
  const int cpu = rtsync::allowed_cpus().last();
  return rtsync::set_affinity(0, {cpu}) == 0 ? cpu : -1;
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return {values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2, values.front(),
          values.back()};
}

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  // Through text, so that 1.234 does not become 1.2340000000000002.
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", std::round(value / unit) * unit);
  return std::strtod(text, nullptr);
}

Json to_json(const Spread& spread) {
  return {{"median", rounded(spread.median)}, {"min", rounded(spread.min)}, {"max", rounded(spread.max)}};
}

Spread Turns::ratio(std::size_t contender, std::size_t to) const {
  return pairwise(figures[contender], figures[to], [](double a, double b) { return a / b; });
}

Spread Turns::difference(std::size_t contender, std::size_t to) const {
  return pairwise(figures[contender], figures[to], [](double a, double b) { return a - b; });
}

Turns take_turns(const std::vector<Contender>& contenders, int rounds) {
  constexpr int kWarmUp = 2;
  Turns turns;
  turns.figures.resize(contenders.size());
  for (int round = -kWarmUp; round < rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t c = (i + static_cast<std::size_t>(round + kWarmUp)) % contenders.size();
      const double figure = contenders[c].nanoseconds_per_piece();
      if (round >= 0) turns.figures[c].push_back(figure);
    }
  }
  return turns;
}

}  // namespace tactus::benchmark
