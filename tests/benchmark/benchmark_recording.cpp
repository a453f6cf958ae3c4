// SPDX-License-Identifier: Apache-2.0
// What does a record of 1000 doubles cost in the frame, beside a bare memcpy of as many bytes, and on the recorder's thread
// and the disk in each format?
#include <tactus/model.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executive/driver/driver_library.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/record/recorder.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using tactus::benchmark::cpu_ns;
using tactus::benchmark::now_ns;
using tactus::executive::Variable;
using tactus::executive::VariableRef;

constexpr std::size_t kValues = 1000;
constexpr std::int64_t kPiece = 200;  // records between two flushes: those of 200 ms at 1 kHz

/// One array, and as many scalars, as models declare them.
class Tape {
 public:
  explicit Tape(bool scalars) : values_(kValues, 0.0) {
    for (std::size_t i = 0; i < (scalars ? kValues : 1); ++i) {
      Variable variable;
      variable.name = scalars ? "m.v" + std::to_string(i) : "m.v";
      variable.count = scalars ? 0 : static_cast<std::uint32_t>(kValues);
      variable.data = values_.data() + i;
      variable.unit_text = "V";
      variables_.push_back(variable);
    }
  }
  std::vector<VariableRef> refs() const {
    std::vector<VariableRef> all;
    for (const Variable& variable : variables_)
      all.push_back({&variable, 0, static_cast<std::uint32_t>(variable.elements()), false, nullptr});
    return all;
  }
  /// Numbers as of a measurement: no two the same.
  void step() {
    for (double& value : values_) value += 1e-3 * (1.0 + static_cast<double>(++steps_ % 7));
  }
  const double* data() const { return values_.data(); }

 private:
  std::vector<double> values_;
  std::deque<Variable> variables_;
  std::uint64_t steps_ = 0;
};

struct Costs {
  std::vector<double> frame, thread;
  double bytes = 0;
};

Costs record(const std::string& format, bool scalars, std::int64_t records) {
  const tactus::test::TempDir folder;
  const tactus::executive::DriverLibrary library("record", format);
  const auto driver = library.make<tactus::executive::RecordDriver>();
  tactus::config::Problems problems;
  Tape tape(scalars);
  Costs costs;
  {
    tactus::executive::Recording recording(
        "tape", tape.refs(), driver->make(tactus::config::Node::map({}), "record.tape", problems));
    recording.open(folder.path());
    recording.make_present();  // as a rig in real time does
    for (std::int64_t done = 0; done < records; done += kPiece) {
      for (std::int64_t i = 0; i < kPiece; ++i) {
        tape.step();
        const std::int64_t begin = now_ns();
        recording.take_sample((done + i) * 1'000'000);
        costs.frame.push_back(static_cast<double>(now_ns() - begin) / kValues);
      }
      const std::int64_t begin = cpu_ns();
      while (recording.drain() > 0) {
      }
      recording.flush();
      costs.thread.push_back(static_cast<double>(cpu_ns() - begin) / static_cast<double>(kPiece * kValues));
    }
    recording.close();
    if (!recording.error().empty()) throw std::runtime_error(recording.error());
  }
  const auto file = folder / driver->file_name("tape");
  costs.bytes =
      static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(records) / kValues;
  return costs;
}

/// A bare copy of the values of each record to where a ring would have it.
std::vector<double> copy_alone(std::int64_t records) {
  Tape tape(false);
  std::vector<std::vector<double>> ring(512, std::vector<double>(kValues));
  std::vector<double> costs;
  for (std::int64_t i = 0; i < records; ++i) {
    tape.step();
    double* const to = ring[static_cast<std::size_t>(i) % ring.size()].data();
    const std::int64_t begin = now_ns();
    std::memcpy(to, tape.data(), kValues * sizeof(double));
    tactus::benchmark::keep(*to);
    costs.push_back(static_cast<double>(now_ns() - begin) / kValues);
  }
  return costs;
}

void run(bool quick) {
  const std::int64_t records = quick ? 2'000 : 20'000;
  const auto spread = [](const std::vector<double>& values) {
    return tactus::benchmark::to_json(tactus::benchmark::spread_of(values));
  };
  const auto bare = copy_alone(records);
  for (const std::string& format : tactus::executive::driver_names("record")) {
    const Costs array = record(format, false, records);
    const Costs scalars = record(format, true, records);
    tactus::benchmark::answer("what does a record of 1000 doubles cost as " + format + "?",
                              {{"records", records},
                               {"memcpy_ns_per_value", spread(bare)},
                               {"array_in_frame_ns_per_value", spread(array.frame)},
                               {"scalars_in_frame_ns_per_value", spread(scalars.frame)},
                               {"recorder_thread_cpu_ns_per_value", spread(scalars.thread)},
                               {"file_bytes_per_value", tactus::benchmark::rounded(scalars.bytes)}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does recording cost, in each format?", &run);
}
