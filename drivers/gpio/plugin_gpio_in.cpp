#include "drivers/gpio/gpio_in.hpp"
#include "executive/driver/driver.hpp"

namespace tactus::drivers::gpio {
namespace {

void* make() { return static_cast<executive::ModelDriver*>(new GpioIn(system_gpio())); }

}  // namespace
}  // namespace tactus::drivers::gpio

extern "C" TACTUS_EXPORT const tactus::executive::DriverEntry* tactus_driver() {
  static constexpr tactus::executive::DriverEntry kEntry{TACTUS_DRIVER_BUILD, "model", "gpio_in",
                                                         &tactus::drivers::gpio::make};
  return &kEntry;
}
