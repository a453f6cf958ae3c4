// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Rigs from YAML text, with the little libraries of libraries/ as ./lib<name>.so.
#include <filesystem>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "executive/plan/rig.hpp"
#include "tests/executive/support/test_namespaces.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::test {

/// What nearly every text begins with: four lines, so that the first model stands in line 5.
inline const std::string kHead =
    "rig: r\n"
    "frame: { period: 1 ms }\n"
    "frame_log: no\n"
    "models:\n";

/// Settings and problems as they come out of a file.
struct Loaded {
  RigSettings settings;
  config::Problems problems;

  explicit Loaded(const std::string& text) {
    const tactus::test::TempDir folder;
    const config::Document document = config::Document::from_file(folder.write("rig.yaml", text).string());
    settings = rig_fields().load(document, problems);
  }
};

/// A rig that must be right.
struct LoadedRig : Loaded, Rig {
  explicit LoadedRig(const std::string& text)
      : Loaded(text), Rig(Loaded::settings, TEST_LIBRARIES, problems) {}
};

/// "line:column: path: message" for every problem of a text; nothing when it makes a rig.
inline std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> lines;
  try {
    const Loaded loaded(text);
    const Rig rig(loaded.settings, TEST_LIBRARIES, loaded.problems);
  } catch (const config::ConfigError& error) {
    for (const config::Problem& problem : error.problems().sorted()) {
      const std::string line = problem.text();
      lines.push_back(line.substr(line.find("rig.yaml:") + 9));
    }
  }
  return lines;
}

}  // namespace tactus::executive::test
