// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace tactus::drivers::fmi {

/// Error with the reason why a unit cannot be loaded or instantiated.
class UnitError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The library of a unit. Its functions are looked for when they are needed. A library that started threads is never
/// unloaded: they would run code that is gone.
///
/// Threads  one at a time. @when setup
class UnitLibrary {
 public:
  /// Throws UnitError: cannot be loaded, and why.
  explicit UnitLibrary(const std::filesystem::path& file);
  UnitLibrary(const UnitLibrary&) = delete;
  UnitLibrary& operator=(const UnitLibrary&) = delete;
  ~UnitLibrary();

  /// nullptr: it has no such function.
  template <class F>
  F* find(const char* name) const {
    return reinterpret_cast<F*>(symbol(name));
  }
  /// Throws UnitError when it has no such function.
  template <class F>
  F* need(const char* name) const {
    F* const found = find<F>(name);
    if (found == nullptr) refuse(name);
    return found;
  }
  /// Keeps the library for ever.
  void keep() { keep_ = true; }

 private:
  void* symbol(const char* name) const;
  [[noreturn]] void refuse(const char* name) const;

  std::string name_;
  void* handle_ = nullptr;
  bool keep_ = false;
};

/// Number of threads of this process; 0: not known. @when setup
std::size_t thread_count();

}  // namespace tactus::drivers::fmi
