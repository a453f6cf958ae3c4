#include "drivers/live/http/driver.hpp"
#include "executive/driver/driver.hpp"

namespace {

void* make_http() { return tactus::drivers::live_http::make_driver().release(); }

}  // namespace

extern "C" TACTUS_EXPORT const tactus::executive::DriverEntry* tactus_driver() {
  static constexpr tactus::executive::DriverEntry kEntry{TACTUS_DRIVER_BUILD, "live", "http", &make_http};
  return &kEntry;
}
