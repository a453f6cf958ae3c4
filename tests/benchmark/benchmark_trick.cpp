// SPDX-License-Identifier: Apache-2.0
// What does a record of 1000 doubles cost with NASA Trick's own recording (TACTUS_TRICK_ROOT), in the frame, on its writer's
// thread and on the disk? The same question as benchmark_recording, for the classes of sim_services/DataRecord.
#include <malloc.h>
#include <sys/resource.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/support/temp_dir.hpp"
#include "trick/DRAscii.hh"
#include "trick/DRBinary.hh"
#include "trick/DataRecordGroup.hh"
#include "trick/command_line_protos.h"
#include "trick/exec_proto.h"
#include "trick/memorymanager_c_intf.h"
#include "trick/message_proto.h"
#ifdef HDF5
#include "trick/DRHDF5.hh"
#endif

namespace {

using tactus::benchmark::cpu_ns;
using tactus::benchmark::now_ns;

constexpr std::size_t kValues = 1000;
constexpr std::int64_t kPiece =
    1000;  // records between two writes: Trick wakes its writer each second by default

/// What Trick's memory manager would know: an array, whose elements share their attributes, or variables of their own.
struct Tape {
  explicit Tape(bool scalars) : values(kValues, 0.0), attributes(scalars ? kValues : 1) {
    for (ATTRIBUTES& attribute : attributes) {
      attribute.name = "v";
      attribute.units = "V";
      attribute.type = TRICK_DOUBLE;
      attribute.size = sizeof(double);
      attribute.num_index = scalars ? 0 : 1;
      attribute.index[0].size = scalars ? 0 : static_cast<int>(kValues);
    }
  }
  /// Numbers as of a measurement: no two the same.
  void step() {
    for (double& value : values) value += 1e-3 * (1.0 + static_cast<double>(++steps % 7));
  }

  std::vector<double> values;
  std::vector<ATTRIBUTES> attributes;
  std::uint64_t steps = 0;
};

Tape* the_tape = nullptr;
std::string the_folder;

[[noreturn]] void unexpected(const char* what) {
  std::fprintf(stderr, "benchmark_trick: Trick's recording calls %s, which this benchmark has not\n", what);
  std::abort();
}

}  // namespace

// What the recording needs of the rest of Trick. In the frame it calls none of these.
extern "C" {
const char* command_line_args_get_output_dir() { return the_folder.c_str(); }
double exec_get_sim_time() { return 0; }
int exec_get_time_tic_value() { return static_cast<int>(Trick::JobData::time_tic_value); }
long long exec_get_time_tics() { return 0; }
int TMM_var_exists(const char*) { return 1; }  // the group is for no checkpoint
REF2* ref_attributes(const char* name) {
  const auto index =
      std::strtoul(name + std::strlen("m.v") + (std::strchr(name, '[') != nullptr), nullptr, 10);
  const auto ref = static_cast<REF2*>(std::calloc(1, sizeof(REF2)));
  ref->reference = ::strdup(name);
  ref->address = the_tape->values.data() + index;
  ref->attr = the_tape->attributes.data() + index % the_tape->attributes.size();
  ref->num_index = ref->attr->num_index;
  return ref;
}
void ref_free(REF2* ref) {
  if (ref != nullptr) std::free(ref->reference);
}
int message_publish(int, const char* format, ...) {
  std::va_list words;
  va_start(words, format);
  std::vfprintf(stderr, format, words);
  va_end(words);
  unexpected("message_publish");
}
void* follow_address_path(REF2*) { unexpected("follow_address_path"); }
ALLOC_INFO* get_alloc_info_at(void*) { unexpected("get_alloc_info_at"); }
void* TMM_declare_ext_var(void*, TRICK_TYPE, const char*, int, const char*, int, int*) {
  unexpected("TMM_declare_ext_var");
}
void* TMM_declare_var_1d(const char*, int) { unexpected("TMM_declare_var_1d"); }
void TMM_delete_var_a(void*) { unexpected("TMM_delete_var_a"); }
char* TMM_strdup(char*) { unexpected("TMM_strdup"); }
}

namespace {

struct Costs {
  std::vector<double> frame;     // of a record that touched no fresh memory
  std::vector<double> faulting;  // of one that did
  std::vector<double> thread;
  double close = 0;  // HDF5 compresses and writes then what it still has
  double bytes = 0;
};

/// How often the calling thread touched memory that the kernel had to provide.
std::int64_t faults() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);  // cannot fail: &usage is ours
  return usage.ru_minflt;
}

std::unique_ptr<Trick::DataRecordGroup> make(const std::string& format) {
#ifdef HDF5
  if (format == "hdf5") return std::make_unique<Trick::DRHDF5>("tape");
#endif
  if (format == "csv") return std::make_unique<Trick::DRAscii>("tape");
  return std::make_unique<Trick::DRBinary>("tape");
}

/// `used`: the memory of the records, room for 100,000 of them, was gone through once: after 100 s at 1 kHz.
Costs record(const std::string& format, bool scalars, bool used, std::int64_t records) {
  const tactus::test::TempDir folder;
  the_folder = folder.path();
  Tape tape(scalars);
  the_tape = &tape;
  const auto group = make(format);
  for (std::size_t i = 0; i < kValues; ++i)
    group->add_variable(scalars ? "m.v" + std::to_string(i) : "m.v[" + std::to_string(i) + "]");
  group->set_cycle(1e-3);
  group->init();
  if (!group->inited || group->rec_buffer.size() != kValues + 1)
    throw std::runtime_error("Trick records nothing");
  if (used) {
    group->set_buffer_type(Trick::DR_Ring_Buffer);  // which is never written in the frame
    for (unsigned int i = 0; i < group->max_num; ++i) group->data_record(0);
    group->writer_num = group->buffer_num;
    group->set_buffer_type(Trick::DR_Buffer);
  }
  Costs costs;
  for (std::int64_t done = 0; done < records; done += kPiece) {
    for (std::int64_t i = 0; i < kPiece; ++i) {
      tape.step();
      const std::int64_t before = faults();
      const std::int64_t begin = now_ns();
      group->data_record(1e-3 * static_cast<double>(done + i));
      const double taken = static_cast<double>(now_ns() - begin) / kValues;
      (faults() == before ? costs.frame : costs.faulting).push_back(taken);
    }
    const std::int64_t begin = cpu_ns();
    group->write_data(true);
    costs.thread.push_back(static_cast<double>(cpu_ns() - begin) / (kPiece * kValues));
  }
  const std::filesystem::path file = group->file_name;
  const std::int64_t begin = cpu_ns();
  group->shutdown();
  costs.close = static_cast<double>(cpu_ns() - begin) / static_cast<double>(records) / kValues;
  costs.bytes =
      static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(records) / kValues;
  return costs;
}

void run(bool quick) {
  // Each variable's memory comes fresh from the kernel, as in a program that makes its recordings once.
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  Trick::JobData::set_time_tic_value(1'000'000);
  const std::int64_t records = quick ? 2'000 : 20'000;
  const auto spread = [](const std::vector<double>& values) {
    return tactus::benchmark::to_json(tactus::benchmark::spread_of(values));
  };
  const Costs array = record("trk", false, false, records);
  const Costs array_later = record("trk", false, true, records);
  const Costs scalars = record("trk", true, false, records);
  const Costs scalars_later = record("trk", true, true, records);
  tactus::benchmark::answer("what does a record of 1000 doubles cost in the frame with Trick?",
                            {{"records", records},
                             {"array_ns_per_value", spread(array.frame)},
                             {"array_later_ns_per_value", spread(array_later.frame)},
                             {"scalars_ns_per_value", spread(scalars.frame)},
                             {"scalars_later_ns_per_value", spread(scalars_later.frame)},
                             {"records_in_fresh_memory", scalars.faulting.size()},
                             {"in_fresh_memory_ns_per_value", spread(scalars.faulting)},
                             {"later_records_in_fresh_memory", scalars_later.faulting.size()}});
  std::vector<std::string> formats{"csv", "trk"};
#ifdef HDF5
  formats.emplace_back("hdf5");
#endif
  for (const std::string& format : formats) {
    const Costs costs = record(format, true, false, records);
    tactus::benchmark::answer("what does a record of 1000 doubles cost as Trick's " + format + "?",
                              {{"records", records},
                               {"scalars_in_frame_ns_per_value", spread(costs.frame)},
                               {"writer_thread_cpu_ns_per_value", spread(costs.thread)},
                               {"closing_cpu_ns_per_value", tactus::benchmark::rounded(costs.close)},
                               {"file_bytes_per_value", tactus::benchmark::rounded(costs.bytes)}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does Trick's own recording cost, in each format?",
                                          &run);
}
