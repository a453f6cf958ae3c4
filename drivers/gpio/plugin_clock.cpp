#include "drivers/gpio/clock.hpp"
#include "executive/driver/driver.hpp"

namespace tactus::drivers::gpio {
namespace {

void* make() { return static_cast<executive::ClockDriver*>(new GpioClock(system_gpio())); }

}  // namespace
}  // namespace tactus::drivers::gpio

extern "C" TACTUS_EXPORT const tactus::executive::DriverEntry* tactus_driver() {
  static constexpr tactus::executive::DriverEntry kEntry{TACTUS_DRIVER_BUILD, "clock", "gpio",
                                                         &tactus::drivers::gpio::make};
  return &kEntry;
}
