// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/unit_library.hpp"

#include <dlfcn.h>

#include <iterator>
#include <system_error>

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

std::string why_not_loaded() {
  const char* const text = ::dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps it per thread
  const std::string why = one_line(text == nullptr ? "no reason given" : text);
  if (why.find("failed to map segment") != std::string::npos)
    return why + "; the folder it was unpacked to may be mounted noexec: TMPDIR names another one";
  if (why.find("cannot open shared object file") != std::string::npos)
    return why + "; the unit needs a library that this machine does not have";
  return why;
}

}  // namespace

std::size_t thread_count() {
  std::error_code failed;
  const std::filesystem::directory_iterator tasks("/proc/self/task", failed);
  if (failed) return 0;
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

UnitLibrary::UnitLibrary(const std::filesystem::path& file) : name_(file.filename().string()) {
  const std::size_t before = thread_count();
  handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw UnitError("its library cannot be loaded: " + why_not_loaded());
  keep_ = thread_count() != before;
}

UnitLibrary::~UnitLibrary() {
  if (!keep_) (void)::dlclose(handle_);
}

void* UnitLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

void UnitLibrary::refuse(const char* name) const {
  throw UnitError("its library " + name_ + " has no function " + name +
                  ", which the standard demands for what its description says");
}

}  // namespace tactus::drivers::fmi
