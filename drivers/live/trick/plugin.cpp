// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "drivers/live/trick/server.hpp"
#include "drivers/live/trick/settings.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::trick {
namespace {

class TrickLive final : public executive::DriverWithFields<executive::LiveDriver, trick_fields> {
 public:
  std::unique_ptr<executive::LiveServer> make(const config::Node& settings, const std::string& path,
                                              const executive::LiveContext&,
                                              config::Problems& problems) override {
    auto read = load(settings, path, problems);
    if (!read) return nullptr;
    const std::size_t before = problems.count();
    check(*read, settings.place(), path, problems);
    if (problems.count() > before) return nullptr;
    return make_server(std::move(*read));
  }
};

}  // namespace
}  // namespace tactus::drivers::trick

TACTUS_DRIVER(tactus::executive::LiveDriver, "trick", tactus::drivers::trick::TrickLive)
