// SPDX-License-Identifier: Apache-2.0
#include "executive/app/own_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "executive/app/commands.hpp"

namespace tactus::app {

namespace fs = std::filesystem;

OwnFolder::OwnFolder(const std::string& name, const fs::path& parent) {
  std::string path = (parent / (name + "-XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr)
    throw CommandError(kEndedEarly, "cannot make a folder in " + parent.string() + ": " +
                                        std::generic_category().message(errno));
  path_ = path;
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace tactus::app
