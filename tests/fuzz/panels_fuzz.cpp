// SPDX-License-Identifier: Apache-2.0
// Panel files. Each is read or refused with problems; what is read has to be the same once it is written.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/live/http/panels.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  using namespace drivers::live_http;
  std::vector<std::string> problems;
  const Json panels = read_panels("panels.yaml", std::string(data, data + size), problems);
  if (!problems.empty()) return 0;
  test::FakeLiveRig rig;
  test::declare_sample(rig);
  std::vector<std::string> complaints;
  check_panels({{"panels", panels}}, rig, complaints);
  const std::string text = panels_yaml(panels);
  const Json again = read_panels("written.yaml", text, problems);
  if (!problems.empty())
    throw std::logic_error("what was written is refused: " + problems.front() + "\n" + text);
  if (again != panels) throw std::logic_error("what was written is another:\n" + text);
  return 0;
}
