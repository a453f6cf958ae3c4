// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::executive {

/// A flight recorder whose process has ended: where its trace went, or why it could not be written.
struct CollectedFlight {
  std::filesystem::path run_folder;
  std::string file;     ///< in it; empty: there was no frame, or see failure
  std::string failure;  ///< the recorder's memory stays then, until somebody collects it
};

/// Writes the last trace of a recorder, and removes its memory. Nothing if somebody else does, or if it is in use.
/// `why`: the rig ended so. @when service
std::vector<CollectedFlight> collect_flight(const std::filesystem::path& memory, const std::string& why);
/// Of the rig that this process was the witness of.                                             @when service
std::vector<CollectedFlight> collect_witnessed_flights(const std::string& why);
/// Of all that are left: rig and witness were killed together, or there was no witness. @when service
std::vector<CollectedFlight> collect_left_flights();

}  // namespace tactus::executive
