// Drivers that are not what their file says: one library per value of DRIVER.
#include "executive/driver/driver.hpp"

using tactus::executive::DriverEntry;

namespace {

[[maybe_unused]] void* make() { return nullptr; }

#if DRIVER == 0
constexpr DriverEntry kEntry{"tactus driver 0, C++ ABI 1", "record", "oldbuild", &make};
#elif DRIVER == 1
constexpr DriverEntry kEntry{TACTUS_DRIVER_BUILD, "record", "csv", &make};
#elif DRIVER == 2
constexpr DriverEntry kEntry{TACTUS_DRIVER_BUILD, "gpio", "otherkind", &make};
#elif DRIVER == 3
constexpr DriverEntry kEntry{TACTUS_DRIVER_BUILD, "record", "fine", &make};
#endif

}  // namespace

extern "C" TACTUS_EXPORT const DriverEntry* tactus_driver() {
#if DRIVER == 4
  return nullptr;
#else
  return &kEntry;
#endif
}
