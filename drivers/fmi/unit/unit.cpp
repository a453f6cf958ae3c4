// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/unit.hpp"

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {

std::vector<std::string> platforms_here(Version version) {
#if defined(__x86_64__)
  if (version == Version::fmi2) return {"linux64"};
  return {"x86_64-linux"};
#elif defined(__aarch64__)
  if (version == Version::fmi2) return {"aarch64-linux", "linuxaarch64"};
  return {"aarch64-linux"};
#else
  (void)version;
  return {};
#endif
}

std::size_t storage_of(Type type, Version version) {
  return with_type(
      type, version, []<class T>(T) { return sizeof(T); }, sizeof(double));
}

std::unique_ptr<Unit> Unit::load(const std::filesystem::path& folder, const std::string& platform,
                                 const Description& description, Execution execution, LogRing& log) {
  const std::filesystem::path file =
      folder / "binaries" / platform / (description.interface(execution)->identifier + ".so");
  return description.version == Version::fmi2 ? make_unit2(file, folder, description, log)
                                              : make_unit3(file, folder, description, execution, log);
}

void Unit::instantiate(const std::string& name, bool logging) {
  if (!life_.may(Call::instantiate)) throw UnitError("is instantiated already");
  const std::size_t before = thread_count();
  log_.forget_error();
  const bool made = do_instantiate(name, logging);
  if (thread_count() != before) library_.keep();
  life_.done(Call::instantiate, made ? Status::ok : Status::error);
  if (made) return;
  const std::string said = one_line(log_.last_error().data());
  throw UnitError("cannot be instantiated: it returned NULL" +
                  (said.empty() ? " and gave no reason; a licence may be missing, or its resources, or its "
                                  "library is that of another "
                                  "modelDescription.xml (guid, instantiationToken)"
                                : ": " + said));
}

void Unit::keep_reachable(void* memory) {
  static auto& all = *new std::vector<void*>;  // never destroyed
  all.push_back(memory);
}

/// Takes the calls of a step that was not good through the table, one after the other.
void Unit::note_failed_step(Status status, const StepAnswer& answer, bool set) noexcept {
  if (answer.last != Call::set_input) {
    if (set) life_.done(Call::set_input, Status::ok);
    if (answer.last != Call::step) life_.done(Call::step, Status::ok);
  }
  life_.done(answer.last, status);
}

}  // namespace tactus::drivers::fmi
