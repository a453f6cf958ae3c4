// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace tactus::client {

/// No rig was found, or it refuses; what() says what to do about it.
class NoRigError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// Address of a control port: a unix socket, or a host and a port.
struct PortAddress {
  std::string path;  ///< path of the socket; empty: TCP
  std::string host;
  std::string port;
  std::filesystem::path run{};  ///< folder of the run whose rig listens there; empty: not known
  std::string rig{};            ///< name of the rig that is meant; another one may listen there. Empty: any

  std::string text() const { return path.empty() ? host + ":" + port : "unix:" + path; }
};

/// Returns true if a word of a command line names a rig and is not a variable: it has a '/' or a ':', ends in
/// .yaml or .sock, is a file or folder, or has no '.' as every variable has, and so is a rig's name.
bool looks_like_address(const std::string& word);

/// Port of a run folder: its socket if something listens there, else the address in its rig file. Nothing: it has
/// none, or the run is over. Throws NoRigError: its rig file cannot be read.
std::optional<PortAddress> port_of_run(const std::filesystem::path& folder);

/// Says how the run of a folder ended: "completed after 2000 frames, exit status 0". Empty: that is not known.
std::string how_it_ended(const std::filesystem::path& folder);

/// Says what became of a run that listens no more: "has ended: stopped after 7 frames, exit status 0", or "is ending:
/// ..." as long as its summary does not say it. Empty: it has never listened. `runs`: its process is there.
std::string end_of_run(const std::filesystem::path& folder, bool runs = false);

/// Finds the control port by what a user writes:
///
///     unix:PATH, PATH of a socket     127.0.0.1:8086, http://127.0.0.1:8086     a run folder     a rig file
///     the name of a rig that runs on this machine; a folder of that name counts only if a rig listens in it
///
/// Empty: the rig of this folder, else the newest one in runs/ that listens. Throws NoRigError.
/// @when service
PortAddress find_port(const std::string& where);

}  // namespace tactus::client
