// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A rig with a virtual bus beside that of a model, for the tests of whole programs. TACTUS_SILKIT_ROOT names a genuine SIL Kit.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "tests/drivers/link/can/can_peer.hpp"
#include "tests/drivers/link/participant/support/peer.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {

using config::Json;

inline constexpr const char* kCanDatabase = R"(VERSION ""
BU_: RIG PEER
BO_ 256 RigData: 2 RIG
 SG_ Wanted : 0|16@1+ (1,0) [0|65535] "" PEER
BO_ 2364540158 EEC1: 8 PEER
 SG_ Speed : 24|16@1+ (0.125,0) [0|8031.875] "rpm" RIG
BO_ 512 PeerStatus: 2 PEER
 SG_ Number : 0|16@1+ (1,0) [0|65535] "" RIG
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 10000;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_ "GenMsgCycleTime" BO_ 256 5;
)";
inline constexpr const char* kCanRig = R"(rig: Rig
frame: { period: 1 ms }
until: 200 ms
models:
  car:
    driver: can
    interface: simulated
    database: bus.dbc
    rest_of: [PEER]
    send: { RigData: { start: { Wanted: 4711 } } }
link:
  driver: silkit
  mode: follow
  can:
    body: { bus: car, network: CAN1 }
record:
  bus: { driver: csv, variables: [car.PeerStatus.Number, car.PeerStatus.count, link.body.to_real, link.body.to_virtual, link.body.lost] }
)";
inline const char* genuine_root() { return std::getenv("TACTUS_SILKIT_ROOT"); }
inline std::filesystem::path genuine(const std::string& what) {
  return std::filesystem::path(genuine_root()) / what;
}

/// Whose libraries the rig and its peer have.
enum class Pair { ours, genuine_peer, genuine_both };

class CanRig : public ::testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
    if (GetParam() != Pair::ours) {
      if (genuine_root() == nullptr)
        GTEST_SKIP() << "TACTUS_SILKIT_ROOT names no genuine SIL Kit; nothing to pair with";
      library = genuine("lib/libSilKit.so").string();
    }
    (void)dir_.write("bus.dbc", kCanDatabase);
    (void)dir_.write("rig.yaml", kCanRig);
  }
  Command command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {LINK_TACTUS, "run", "rig.yaml", "--no-realtime", "--registry", uri()});
    if (GetParam() == Pair::genuine_both)
      arguments.insert(arguments.end(), {"--set", "link.library=" + library});
    return {.argv = arguments, .cwd = dir_.path()};
  }
  const std::string& uri() {
    if (!registry_) registry_ = std::make_unique<RegistryOf>(LINK_SILKIT_LIBRARY);
    return registry_->uri();
  }
  Json summary(const std::string& out) {
    return Json::parse(read_file(dir_ / (out + "/summary.json")))["link"];
  }

  /// "to_real,to_virtual,lost" of the last frame, and of the summary.
  std::string counts_of_last_row(const std::string& out) {
    std::string bus = read_file(dir_ / (out + "/bus.csv"));
    while (!bus.empty() && bus.back() == '\n') bus.pop_back();
    std::string row = bus.substr(bus.rfind('\n') + 1);
    for (int i = 0; i < 3; ++i) row.erase(0, row.find(',') + 1);
    return row;
  }
  std::string counts_of_summary(const std::string& out) {
    const Json can = summary(out)["can"]["body"];
    return can["to_real"].dump() + "," + can["to_virtual"].dump() + "," + can["lost"].dump();
  }

  std::string library = LINK_SILKIT_LIBRARY;
  TempDir dir_;
  std::unique_ptr<RegistryOf> registry_;
};

inline std::string pair_name(const ::testing::TestParamInfo<Pair>& one) {
  return one.param == Pair::ours ? "Ours" : one.param == Pair::genuine_peer ? "GenuinePeer" : "GenuineBoth";
}

}  // namespace tactus::test
