// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmark/trick_sim.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tactus::benchmark {
namespace {

namespace fs = std::filesystem;

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

std::string end_of(const std::string& text) {
  constexpr std::size_t kMost = 1500;
  return text.size() > kMost ? "... " + text.substr(text.size() - kMost) : text;
}

}  // namespace

std::string TrickSim::home() {
  const char* const home = std::getenv("TACTUS_TRICK_HOME");
  return home == nullptr ? "" : home;
}

TrickSim::TrickSim() {
  const fs::path tool = fs::path(home()) / "bin" / "trick-CP";
  if (!fs::exists(tool))
    throw std::runtime_error("TACTUS_TRICK_HOME: " + home() +
                             " has no bin/trick-CP; give the folder of a built Trick");
  fs::copy(TACTUS_TRICK_SIM, dir_.path() / "sim", fs::copy_options::recursive);
  try {
    (void)run_process(
        {"sh", "-c", "cd " + quoted(dir_.path() / "sim") + " && " + quoted(tool) + " > ../build.log 2>&1"});
  } catch (const std::runtime_error&) {
    throw std::runtime_error("trick-CP fails: " + end_of(test::read_file(dir_.path() / "build.log")));
  }
}

ProcessCost TrickSim::run(const std::string& environment, const std::string& input,
                          const std::string& log) const {
  try {
    return run_process({"sh", "-c",
                        "cd " + quoted(dir_.path() / "sim") + " && exec env " + environment +
                            " timeout 900 ./S_main_*.exe " + input + " > " + quoted(dir_.path() / log) +
                            " 2>&1"});
  } catch (const std::runtime_error&) {
    throw std::runtime_error("Trick's simulation fails: " + end_of(test::read_file(dir_.path() / log)));
  }
}

double TrickSim::frame_ns(const std::string& kind, int events, int frames) const {
  return frame_of("TRICK_SIM_KIND=" + kind + " TRICK_SIM_EVENTS=" + std::to_string(events),
                  "RUN_events/input.py", frames);
}

double TrickSim::jobs_frame_ns(const std::string& model, std::size_t jobs, std::int64_t frames) const {
  return frame_of("TRICK_SIM_MODEL=" + model + " TRICK_SIM_JOBS=" + std::to_string(jobs),
                  "RUN_frames/input.py", frames);
}

double TrickSim::frame_of(const std::string& environment, const std::string& input,
                          std::int64_t frames) const {
  (void)run(environment + " TRICK_SIM_FRAMES=" + std::to_string(frames), input, "frames.log");
  const std::string said = test::read_file(dir_.path() / "frames.log"), word = "TRICK_SIM_NS_A_FRAME ";
  const std::size_t at = said.find(word);
  if (at == std::string::npos) throw std::runtime_error("Trick's simulation says no time: " + end_of(said));
  return std::stod(said.substr(at + word.size()));
}

ProcessCost TrickSim::run_cases(int cases, int slaves) const {
  return run("TRICK_SIM_CASES=" + std::to_string(cases) + " TRICK_SIM_SLAVES=" + std::to_string(slaves),
             "RUN_cases/input.py", "cases.log");
}

ProcessCost TrickSim::run_alone() const { return run("", "RUN_cases/input.py", "alone.log"); }

std::string TrickSim::version() const {
  std::ifstream file(fs::path(home()) / "share" / "trick" / "trick_ver.txt");
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace tactus::benchmark
