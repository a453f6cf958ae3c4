// SPDX-License-Identifier: Apache-2.0
/// Writes recordings whose values are known, for readers that are none of ours.
///
///     write_recordings write FOLDER FORMAT SEED ROWS COLUMNS    as a rig does: flushed now and then
///     write_recordings export FOLDER FORMAT SEED ROWS COLUMNS   as tactus convert does
///     write_recordings expect FOLDER - SEED ROWS COLUMNS        expected.json and the records, expected.bin
///     write_recordings run FOLDER FORMAT SEED FLUSH COLUMNS     until it is killed; says after how many
///                                                               records it has flushed
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "drivers/record/common/columns_json.hpp"
#include "executive/driver/driver_library.hpp"
#include "tests/drivers/record/sample.hpp"

namespace {

using tactus::test::RecordSample;

void expect(const std::filesystem::path& folder, const RecordSample& sample, std::uint64_t rows) {
  std::ofstream(folder / "expected.json") << tactus::drivers::record::head_json(sample.head).dump(1);
  std::ofstream out(folder / "expected.bin", std::ios::binary);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto record = sample.record(row);
    out.write(reinterpret_cast<const char*>(record.data()), static_cast<std::streamsize>(record.size()));
  }
}

void run(tactus::executive::RecordSink& sink, const RecordSample& sample, std::uint64_t flush_every) {
  for (std::uint64_t row = 1;; ++row) {
    sink.write(sample.record(row - 1).data());
    if (row % flush_every != 0) continue;
    sink.flush();
    const std::string said = std::to_string(row) + "\n";
    if (::write(STDOUT_FILENO, said.data(), said.size()) < 0) return;  // nobody listens any more
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 7) return 2;
  const std::string mode = argv[1];
  const std::filesystem::path folder = argv[2];
  const RecordSample sample(std::strtoull(argv[4], nullptr, 10), std::strtoull(argv[6], nullptr, 10));
  const std::uint64_t rows = std::strtoull(argv[5], nullptr, 10);
  if (mode == "expect") return expect(folder, sample, rows), 0;
  const tactus::executive::DriverLibrary library("record", argv[3]);
  const auto driver = library.make<tactus::executive::RecordDriver>();
  tactus::config::Problems problems;
  const auto sink = mode == "export" ? driver->make_for_export()
                                     : driver->make(tactus::config::Node::map({}), "record.tape", problems);
  sink->open(folder / sink->file_name("tape"), sample.head);
  if (mode == "run") return run(*sink, sample, rows), 1;
  for (std::uint64_t row = 0; row < rows; ++row) {
    sink->write(sample.record(row).data());
    if (row % 97 == 96) sink->flush();
  }
  sink->flush();
  sink->close();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
