// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/sdk_driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <utility>

#include "executive/driver/sdk_call.hpp"
#include "executive/model/model_library.hpp"

namespace tactus::executive {

tactus_driver known_driver(const tactus_driver* entry, const std::string& file) {
  if (entry == nullptr)
    throw LibraryError(file + " describes no driver: its tactus_driver_entry() returned a null pointer");
  if (entry->abi_version != TACTUS_DRIVER_ABI_VERSION)
    throw LibraryError(
        file + " was built for version " + std::to_string(entry->abi_version) +
        " of the driver ABI, this tactus knows version " + std::to_string(TACTUS_DRIVER_ABI_VERSION) +
        ": build the driver again, with the headers of " + "this tactus (Debian: libtactus-dev)");
  constexpr std::size_t kFirst = offsetof(tactus_driver, failure);  // of the first headers with version 1
  if (entry->size < kFirst || entry->size % alignof(tactus_driver) != 0)
    throw LibraryError(
        file + " describes its driver in " + std::to_string(entry->size) + " bytes, and at least " +
        std::to_string(kFirst) +
        " are needed: compile the driver again, with the tactus/driver.h of this tactus and without " +
        "-fpack-struct");
  tactus_driver known{};
  std::memcpy(&known, entry, std::min<std::size_t>(entry->size, sizeof known));
  if (known.kind == nullptr || known.name == nullptr)
    throw LibraryError(file + " describes a driver without kind or name: it is not a driver");
  return known;
}

std::unique_ptr<Driver> make_sdk_driver(const tactus_driver& entry, const std::string& file) {
  const tactus_driver known = known_driver(&entry, file);
  try {
    if (known.failure != nullptr)
      throw std::runtime_error("the constructor or keys() of its class threw an exception: " +
                               std::string(known.failure));
    need(known.make, "make");
    if (known.functions == nullptr) throw std::runtime_error("it has no functions");
    if (known.keys == nullptr && known.key_count > 0) throw std::runtime_error("its keys are a null pointer");
    auto shared = std::make_shared<const SdkEntry>(
        SdkEntry{known, known.kind, known.name, file,
                 SdkKeys(known.about == nullptr ? "" : known.about,
                         {known.keys, static_cast<std::size_t>(known.key_count)})});
    if (shared->kind == "model") return make_sdk_model(std::move(shared));
    if (shared->kind == "record") return make_sdk_record(std::move(shared));
    if (shared->kind == "clock") return make_sdk_clock(std::move(shared));
    throw std::runtime_error("there is no such kind; model, record and clock are possible");
  } catch (const std::exception& error) {
    throw LibraryError(file + ", driver '" + known.name + "' of kind '" + known.kind +
                       "', cannot be used: " + config::one_line(error.what()));
  }
}

}  // namespace tactus::executive
