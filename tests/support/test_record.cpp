// SPDX-License-Identifier: Apache-2.0
// Writes what becomes of each TEST of this program into the file that TACTUS_TEST_RECORD names, line by line, so that
// a crash loses nothing: tests/support/run_test.py reads it. Linked into every GoogleTest program.
//
//     run 4711 Suite.Name             the output file is 4711 bytes long here
//     end passed 12345 Suite.Name     or failed, skipped; after 12345 us of CPU time, children included
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tactus::test {
namespace {

/// CPU time of this process and of the children that it has waited for.
std::int64_t cpu_us() {
  std::int64_t us = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    (void)::getrusage(who, &used);
    us += (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  }
  return us;
}

class Record : public ::testing::EmptyTestEventListener {
 public:
  explicit Record(int file) : file_(file) {}

  void OnTestStart(const ::testing::TestInfo& test) override {
    std::fflush(stdout);
    write("run " + std::to_string(::lseek(STDOUT_FILENO, 0, SEEK_END)) + " " + name_of(test));
    before_us_ = cpu_us();
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::fflush(stdout);
    const ::testing::TestResult& result = *test.result();
    const char* end = result.Skipped() ? "skipped " : result.Passed() ? "passed " : "failed ";
    write("end " + std::string(end) + std::to_string(cpu_us() - before_us_) + " " + name_of(test));
  }

 private:
  static std::string name_of(const ::testing::TestInfo& test) {
    return std::string(test.test_suite_name()) + "." + test.name();
  }
  void write(const std::string& line) const {
    const std::string whole = line + "\n";
    (void)!::write(file_, whole.data(), whole.size());  // one write a line: complete, or not there
  }

  int file_;
  std::int64_t before_us_ = 0;
};

/// Joins before main(). Programs that a test starts do not inherit the record.
const bool joined = [] {
  const char* name = std::getenv("TACTUS_TEST_RECORD");
  if (name == nullptr) return false;
  const int file = ::open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ::unsetenv("TACTUS_TEST_RECORD");
  if (file < 0) return false;
  ::testing::UnitTest::GetInstance()->listeners().Append(new Record(file));
  return true;
}();

}  // namespace
}  // namespace tactus::test
