#include <utility>

#include "drivers/live/trick/server.hpp"
#include "drivers/live/trick/settings.hpp"
#include "executive/driver/driver.hpp"

namespace tactus::drivers::trick {
namespace {

class TrickLive final : public executive::LiveDriver {
 public:
  std::shared_ptr<const config::Section> section() const override { return trick_fields().shared_section(); }

  std::unique_ptr<executive::LiveServer> make(const config::Node& settings, const std::string& path,
                                              const executive::LiveContext&,
                                              config::Problems& problems) override {
    const std::size_t before = problems.count();
    TrickSettings read = trick_fields().load(settings, path, problems);
    if (problems.count() == before) check(read, settings.place(), path, problems);
    if (problems.count() > before) return nullptr;
    return std::make_unique<Server>(std::move(read));
  }
};

void* make_trick() { return static_cast<executive::LiveDriver*>(new TrickLive); }

}  // namespace
}  // namespace tactus::drivers::trick

extern "C" TACTUS_EXPORT const tactus::executive::DriverEntry* tactus_driver() {
  static constexpr tactus::executive::DriverEntry kEntry{TACTUS_DRIVER_BUILD, "live", "trick",
                                                         &tactus::drivers::trick::make_trick};
  return &kEntry;
}
