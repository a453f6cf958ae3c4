// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "drivers/live/http/request.hpp"
#include "drivers/live/http/schema.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

/// {"panels": {"desk": [widgets]}}: what is in a panel file, and in the body of a PUT.
const Schema& panels_schema();
/// Checks what no schema can: the keys that a kind of widget needs, its position, and its variables in the
/// rig. `json` has the schema.
void check_panels(const Json& json, const executive::LiveRig& rig, std::vector<std::string>& problems);

/// The desks of a rig, as YAML beside its rig file. Where that folder is not the rig's to write into, as it is under
/// the service, they are kept in the state folder of the service; from then on they are read from there.
///
/// Threads  one at a time. Reads and writes a small file.
class PanelFile {
 public:
  /// RIG.panels.yaml beside the rig file; nothing of a rig without one.
  static std::filesystem::path beside(const std::filesystem::path& rig_file);
  /// Takes the first folder of $STATE_DIRECTORY, which systemd sets for a service with StateDirectory=; empty: there is
  /// none.
  static std::filesystem::path state_folder();
  explicit PanelFile(std::filesystem::path file, const std::filesystem::path& state = state_folder())
      : file_(std::move(file)), other_(state.empty() ? state : state / file_.filename()) {}

  struct Contents {
    std::string tag;                      ///< HTTP entity tag of these bytes, with its quotes
    Json panels = Json::object();         ///< panels by desk
    std::vector<std::string> problems{};  ///< reason why it is not a file of panels; `panels` is then empty
  };
  Contents read() const;
  /// Takes the place of the file in one go. Why not; empty: it has.
  std::string write(const Json& panels) const;
  /// Its name where it lies beside the rig file; else its path.
  std::string name() const;

 private:
  const std::filesystem::path& used() const;

  std::filesystem::path file_;
  std::filesystem::path other_;  // in the state folder; empty: there is none
};

/// Reads a file, by desk; empty if it is wrong, which `problems` explain.
Json read_panels(const std::string& name, const std::string& text, std::vector<std::string>& problems);
/// Writes panels as a file has them.
std::string panels_yaml(const Json& panels);

}  // namespace tactus::drivers::live_http
