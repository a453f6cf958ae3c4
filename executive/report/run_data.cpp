// SPDX-License-Identifier: Apache-2.0
#include "executive/report/run_data.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "config/number.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/report/json_facts.hpp"

namespace tactus::report {
namespace {

namespace fs = std::filesystem;

/// Distance of the first two rows.
std::optional<std::int64_t> measured_period(const fs::path& frames) try {
  FrameLog log(frames);
  FrameRow first, second;
  if (!log.next(first) || !log.next(second) || second.time_ns <= first.time_ns) return std::nullopt;
  const std::int64_t apart = std::max<std::int64_t>(1, second.frame - first.frame);
  return std::max<std::int64_t>(1, (second.time_ns - first.time_ns) / apart);
} catch (const std::exception&) {  // whoever reads its rows says why
  return std::nullopt;
}

std::int64_t period_of(const RunFiles& files, const fs::path& frames) {
  constexpr std::int64_t kLongest = 3'600'000'000'000;
  if (const auto period = integer_fact(files.summary, "period_ns");
      period && *period > 0 && *period < kLongest)
    return *period;
  if (const auto period = config::parse_period(setting_in(files.settings, "frame.period"));
      period && period.value->floor().count() > 0)
    return period.value->floor().count();
  std::error_code error;
  if (fs::exists(frames, error))
    if (const auto period = measured_period(frames)) return *period;
  return 1'000'000;
}

void read_frames(const fs::path& file, const ReadRequest& request, RunData& run) {
  FrameLog log(file);
  if (!log.has_times()) {
    run.remarks.emplace_back("frames.csv has no columns rt.late, rt.work and rt.slack: it is not read");
    return;
  }
  if (!log.has_causes()) run.remarks.emplace_back("frames.csv has no column rt.cause: causes are not known");
  // A block has some frames, however long these are.
  const std::int64_t block = std::max(kBlockNs, 10 * run.period_ns);
  run.times = std::make_unique<FrameTimes>(run.period_ns, request.compared ? block : 0, request.seed);
  for (FrameRow row; log.next(row);) run.times->add(row);
  run.times->end();
  for (std::string& remark : log.values().remarks()) run.remarks.push_back(std::move(remark));
}

/// A count of summary.json; where it has none, or is older than the rows, that of the rows.
std::int64_t count_of(const RunData& run, const char* path, std::int64_t rows) {
  const auto known = integer_fact(run.summary(), path);
  if (!known || *known < 0) return rows;
  return run.outcome() == "unended" ? std::max(*known, rows) : *known;
}

}  // namespace

std::int64_t RunData::frames() const {
  return count_of(*this, "frames.run", times == nullptr ? 0 : static_cast<std::int64_t>(times->frames()));
}

std::int64_t RunData::overruns() const {
  return count_of(*this, "frames.overruns", times == nullptr ? 0 : times->overruns);
}

std::string RunData::outcome() const {
  const std::string outcome = text_fact(summary(), "outcome");
  return outcome.empty() || outcome == executive::kUnfinished ? "unended" : outcome;
}

const Json* RunData::test() const {
  const Json* const found = find_fact(summary(), "test");
  return found != nullptr && found->is_object() ? found : nullptr;
}

RunData read_run(const fs::path& folder, const ReadRequest& request) {
  RunData run{.files = read_run_files(folder, request.ended)};
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  run.name = error || whole.filename().empty() ? folder.string() : whole.filename().string();
  const fs::path frames = folder / "frames.csv";
  run.period_ns = period_of(run.files, frames);
  if (fs::exists(frames, error)) {
    try {
      read_frames(frames, request, run);
    } catch (const std::exception& failed) {
      run.remarks.emplace_back(failed.what());
    }
  }
  run.signals = read_signals(folder, request.plot);
  if (const Json* const test = run.test())
    run.verdict_curves = read_verdict_curves(folder, *test, run.period_ns);
  return run;
}

}  // namespace tactus::report
