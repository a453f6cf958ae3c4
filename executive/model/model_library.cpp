// SPDX-License-Identifier: Apache-2.0
#include "executive/model/model_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "executive/model/foreign_binding.hpp"
#include "executive/model/library_problem.hpp"
#include "executive/model/shared_dependency.hpp"
#include "rtsync/crash/loaded_files.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/text.hpp"
#include "rtsync/thread/float_environment.hpp"

namespace tactus::executive {
namespace {

std::string dl_reason() {
  const char* reason =
      ::dlerror();  // NOLINT(concurrency-mt-unsafe): libraries are opened by one thread, at setup
  return reason == nullptr ? "unknown reason" : reason;
}

/// Loads a library. An exception that it throws while it starts ends the process, whatever compiled this: it
/// has left the loader's lock taken, so that the next dlopen() of any thread, or exit(), would never return.
void* load(const char* file) noexcept {
  void* (*volatile const open)(const char*, int) = &::dlopen;  // as one that may throw
  return open(file, RTLD_NOW | RTLD_LOCAL);
}

/// The executable or shared library that this is a part of; empty if not known.
std::filesystem::path file_of_this_code() {
  static const char here = 0;
  Dl_info info{};
  if (::dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path{} : file;
}

}  // namespace

std::vector<std::filesystem::path> plugin_folders() {
  std::vector<std::filesystem::path> folders;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read at setup; nobody writes the environment
  if (const char* list = std::getenv("TACTUS_PLUGIN_PATH"); list != nullptr)
    for (const std::string_view folder : rtsync::parts_of(list, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto add = [&](const std::filesystem::path& folder) {
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  };
  if (!error) add(self.parent_path().parent_path() / "lib" / "tactus");
  if (!error && self.parent_path().filename() == "tactus") add(self.parent_path());  // tactus-model
  // A library in somebody's program: libtactus.so, or what the plug-ins beside it share.
  if (const std::filesystem::path us = file_of_this_code(); !us.empty() && us != self)
    add(us.parent_path().filename() == "tactus" ? us.parent_path() : us.parent_path() / "tactus");
  return folders;
}

std::filesystem::path find_library(const std::string& library, const std::filesystem::path& base) {
  std::error_code error;
  if (library.find('/') != std::string::npos) {
    const std::filesystem::path file = (base / library).lexically_normal();
    if (std::filesystem::is_regular_file(file, error)) return std::filesystem::absolute(file);
    throw LibraryError("no file '" + file.string() + "'" + (error ? " (" + error.message() + ")" : "") +
                       "; a library with a '/' is looked for relative to the rig file");
  }
  std::string tried;
  for (const auto& folder : plugin_folders()) {
    const std::filesystem::path file = folder / ("lib" + library + ".so");
    if (std::filesystem::is_regular_file(file, error)) return std::filesystem::absolute(file);
    tried += (tried.empty() ? "" : ", ") + file.string();
  }
  const std::string file = library.ends_with(".so") ? library : "lib" + library + ".so";
  throw LibraryError("no library '" + library + "'; looked for " + tried +
                     "; a file of your own is given with a '/': ./" + file);
}

SharedLibrary::SharedLibrary(const std::filesystem::path& file) : file_(file) {
  const rtsync::Doing doing("library '" + file.string() + "' was loaded");
  if (const std::string problem = problem_of_library(file); !problem.empty())
    throw LibraryError("cannot load the library: " + problem);
  before_ = loaded_objects();
  const rtsync::FloatEnvironmentGuard floating;  // -ffast-math sets it while the library is loaded
  handle_ = load(file.c_str());
  if (handle_ == nullptr) throw LibraryError("cannot load the library: " + explained(file, dl_reason()));
  rtsync::note_loaded_files();
}

SharedLibrary::~SharedLibrary() {
  if (handle_ == nullptr) return;
  const rtsync::Doing doing("library '" + file_.string() + "' was unloaded");
  const rtsync::FloatEnvironmentGuard floating;
  ::dlclose(handle_);  // a library that cannot be unloaded stays until the process ends
}

void SharedLibrary::expect_own_symbols() const {
  const std::optional<ForeignBinding> found = find_foreign_binding(handle_, before_);
  if (found)
    throw LibraryError(
        found->library + ": its symbol '" + found->symbol + "' is replaced by that of " + found->other +
        ": compile it with -fvisibility=hidden, with GCC also with -fno-gnu-unique, and link it "
        "with -Wl,-Bsymbolic, as CMake's target tactus::model does");
  if (const std::optional<OtherDependency> other = find_other_dependency(handle_, before_))
    throw LibraryError(
        other->library + " needs " + other->name + " and has " + other->own + ", but the process has " +
        other->loaded + " under that name already" +
        (other->symbol.empty() ? ""
                               : ", so that '" + demangled(other->symbol) + "' would come from the latter") +
        ": give one of the two another SONAME, link it statically and hidden, or write `isolated: yes` "
        "for one of the models");
}

void* SharedLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

ModelLibrary::ModelLibrary(const std::filesystem::path& file) : library_(file) {
  library_.expect_own_symbols();
  const rtsync::Doing doing("library '" + file.string() + "' listed its models");
  void* const entry = library_.symbol("tactus_models");
  if (entry == nullptr)
    throw LibraryError(
        file.string() +
        " exports no 'tactus_models': it holds no tactus model (write TACTUS_MODEL(...) at its end)");
  std::uint32_t count = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  const tactus_model* const* list = reinterpret_cast<tactus_models_function>(entry)(&count);
  models_ = {list, list == nullptr ? 0 : count};
  for (const tactus_model* model : models_) {
    if (model == nullptr) throw LibraryError(file.string() + " lists a model that is a null pointer");
    if (model->abi_version != TACTUS_ABI_VERSION)
      throw LibraryError(file.string() + " was built for version " + std::to_string(model->abi_version) +
                         " of the model ABI, this tactus speaks version " +
                         std::to_string(TACTUS_ABI_VERSION) +
                         ": build it again with the headers of this tactus");
    if (model->size < sizeof(tactus_model) || model->name == nullptr || model->declare == nullptr)
      throw LibraryError(file.string() + " lists a model without name or declare function");
    if (find(model->name) != model)
      throw LibraryError(file.string() + " lists two models with the name '" + model->name +
                         "': give one of them another name, and build the library again");
  }
  if (models_.empty()) throw LibraryError(file.string() + " lists no model");
}

const tactus_model* ModelLibrary::find(const std::string& name) const {
  for (const tactus_model* model : models_)
    if (name == model->name) return model;
  return nullptr;
}

}  // namespace tactus::executive
