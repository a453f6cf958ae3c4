// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over files, folders or standard input: for compilers without libFuzzer, and for AFL++.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(std::istream& in) {
  const std::vector<char> read{std::istreambuf_iterator<char>(in), {}};
  const std::vector<std::uint8_t> bytes(read.begin(), read.end());
  (void)LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

/// How many files were run.
int run_path(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path)) files += run_path(entry.path());
    return files;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + " cannot be read");
  std::cout << path.string() << std::endl;  // flushed: the last line names the file that crashed
  run(in);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) {
      run(std::cin);
      return 0;
    }
    for (int k = 1; k < argc; ++k) {
      if (run_path(argv[k]) > 0) continue;
      std::cerr << argv[k] << " has no files\n";
      return 1;
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
