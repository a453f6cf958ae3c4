// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <filesystem>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tactus::executive {

/// A library could not be loaded, or does not hold what it should. what() is a whole sentence for the user.
class LibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Folders of libraries that are given by a bare name: $TACTUS_PLUGIN_PATH (a list with ':'), then lib/tactus
/// beside the folder of the running program. @when setup
std::vector<std::filesystem::path> plugin_folders();

/// The file of a library: `library` with a '/' is a path relative to `base`; otherwise lib<name>.so in
/// plugin_folders(). Throws LibraryError that lists what was tried. @when setup
std::filesystem::path find_library(const std::string& library, const std::filesystem::path& base);

/// An opened shared library (dlopen, RTLD_NOW | RTLD_LOCAL). Closed by the destructor.
class SharedLibrary {
 public:
  /// Throws LibraryError with what is wrong with the file, or the loader's own reason, and how it is mended.
  /// @when setup
  explicit SharedLibrary(const std::filesystem::path& file);
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  ~SharedLibrary();

  /// Throws LibraryError if a symbol that the library defines is replaced by another file's, which it names: two
  /// models, or a model and ours, would compute with one copy. So it is where a library that it needs is replaced by
  /// another one of the same name. @when setup
  void expect_own_symbols() const;
  void* symbol(const char* name) const;  ///< nullptr when it is not there
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::set<const void*> before_;  // what was loaded when this came
  void* handle_ = nullptr;
};

/// A shared library with models.
class ModelLibrary {
 public:
  /// Throws LibraryError: not loadable, no `tactus_models`, or another ABI version. @when setup
  explicit ModelLibrary(const std::filesystem::path& file);

  std::span<const tactus_model* const> models() const { return models_; }
  /// nullptr when the library has no model of that name.
  const tactus_model* find(const std::string& name) const;
  const std::filesystem::path& file() const { return library_.file(); }

 private:
  SharedLibrary library_;
  std::span<const tactus_model* const> models_;
};

}  // namespace tactus::executive
