// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tactus::app {

/// Returns the reply of complete() for the PATH=VALUE of a rig file: keys that it can go on with, "realtime.sl" becomes
/// "realtime.sleeper=", and words and names behind a '='. `file`: the rig file of the command line; empty: there is none.
/// With one also names of its models, their drivers' keys, and names that these can have.
std::string complete_setting(const std::string& begin, const std::string& file);

}  // namespace tactus::app
