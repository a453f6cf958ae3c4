// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A small tree of files that stands for "/": what a machine says about itself, written by a test.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tactus::rtsync {

class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "tactus-fake-root-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder could be made");
    root_ = name;
  }
  ~FakeRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  const std::filesystem::path& path() const { return root_; }
  FakeRoot& write(const std::string& file, const std::string& text) {
    const std::filesystem::path full = at(file);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream{full} << text;
    return *this;
  }
  FakeRoot& folder(const std::string& name) {
    std::filesystem::create_directories(at(name));
    return *this;
  }
  /// A file that exists and cannot be read: not even by root, whom permissions do not stop.
  FakeRoot& unreadable(const std::string& file) { return folder(file); }
  FakeRoot& remove(const std::string& file) {
    std::filesystem::remove_all(at(file));
    return *this;
  }

 private:
  std::filesystem::path at(const std::string& file) const { return root_ / file.substr(1); }
  std::filesystem::path root_;
};

}  // namespace tactus::rtsync
