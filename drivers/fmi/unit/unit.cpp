// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/unit.hpp"

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

/// Keeps memory of a unit that must not be called again where whoever looks for leaks finds it.
void keep_reachable(void* memory) {
  static auto& all = *new std::vector<void*>;  // never destroyed
  all.push_back(memory);
}

}  // namespace

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
  if (version == Version::fmi2 && (type == Type::boolean || type == Type::enumeration)) return 4;
  constexpr std::array<std::size_t, kTypes> kBytes = {4, 8, 1, 1, 2, 2, 4, 4,
                                                      8, 8, 1, 8, 8, 8, 8};  // in the order of Type
  return kBytes[static_cast<std::size_t>(type)];
}

std::unique_ptr<Unit> Unit::load(const std::filesystem::path& folder, const std::string& platform,
                                 const Description& description, Execution execution, LogRing& log) {
  const std::filesystem::path file =
      folder / "binaries" / platform / (description.interface(execution)->identifier + ".so");
  return description.version == Version::fmi2 ? make_unit2(file, folder, description, log)
                                              : make_unit3(file, folder, description, execution, log);
}

std::filesystem::path Unit::resources() const {
  const std::filesystem::path path = folder_ / "resources";
  std::error_code failed;
  return std::filesystem::is_directory(path, failed) ? path : std::filesystem::path();
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

void Unit::free() noexcept {
  if (!life_.may(Call::free)) return;
  if (state_ != nullptr) (void)do_free_state(&state_);
  state_ = nullptr;
  do_free();
  life_.done(Call::free, Status::ok);
}

void Unit::abandon(void* instance) {
  if (life_.phase() != Phase::fatal) return;
  keep_reachable(instance);
  keep_reachable(state_);
  library_.keep();
}

/// Takes the calls of a step that was not good through the table, one after the other.
void Unit::note_failed_step(Status status, const StepAnswer& answer, bool set) noexcept {
  if (answer.last != Call::set_input) {
    if (set) life_.done(Call::set_input, Status::ok);
    if (answer.last != Call::step) life_.done(Call::step, Status::ok);
  }
  life_.done(answer.last, status);
}

bool Unit::prepare_state() {
  has_state_ = interface().get_and_set_state && interface().serialize_state && find_state_functions();
  return has_state_;
}

std::size_t Unit::state_bytes() noexcept {
  std::size_t bytes = 0;
  if (!has_state_ || !is_good(run(Call::state, &Unit::do_get_state, &state_))) return 0;
  if (!is_good(run(Call::state, &Unit::do_state_size, state_, &bytes))) return 0;
  return bytes;
}

std::size_t Unit::save_state(std::span<std::byte> room, std::size_t& needed) noexcept {
  const std::size_t bytes = needed = state_bytes();
  if (bytes == 0 || bytes > room.size()) return 0;
  return is_good(run(Call::state, &Unit::do_serialize, state_, room.data(), bytes)) ? bytes : 0;
}

Status Unit::load_state(std::span<const std::byte> bytes) noexcept {
  if (!has_state_ || !life_.may(Call::set_state)) return Status::illegal;
  void* state = nullptr;
  Status status = do_deserialize(bytes.data(), bytes.size(), &state);
  if (is_good(status)) status = do_set_state(state);
  if (status == Status::fatal)
    keep_reachable(state);  // nothing frees it any more
  else if (state != nullptr)
    (void)do_free_state(&state);
  life_.done(Call::set_state, status);
  return status;
}

}  // namespace tactus::drivers::fmi
