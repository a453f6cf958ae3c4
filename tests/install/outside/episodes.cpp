// SPDX-License-Identifier: Apache-2.0
// A program that runs a rig in three episodes, by the C++ API: which speed the motor has with a load, and without.
#include <cstdio>
#include <string>
#include <tactus/open_simulation.hpp>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    tactus::OpenSimulationOptions options;
    options.realtime = false;
    options.out = argv[2];
    options.until = "300 ms";
    tactus::OpenSimulation rig(argv[1], options);
    const std::vector<std::vector<tactus::EpisodeIn>> in{
        {}, {{"motor", "load_torque", {0.01}}}, {{"motor", "load_torque", {0.0}}}};
    std::vector<tactus::EpisodeOut> out{{"motor", "speed"}};
    for (int k = 0; k < 3; ++k) {
      const std::string stop = "1970-01-01T00:00:00." + std::to_string(k) + "99Z";
      const tactus::EpisodeResult episode = rig.run_open(stop, in[static_cast<std::size_t>(k)], out);
      std::printf("frame %d%s %s\n", static_cast<int>(episode.frame), episode.ended ? ", the last;" : ";",
                  out[0].values.size() == 1 ? "one speed" : "no speed");
    }
    return rig.exit_status();
  } catch (const tactus::OpenSimulationError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
