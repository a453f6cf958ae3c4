// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/link/settings.hpp"

#include <chrono>

#include "config/rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using config::Fields;
using config::located;
using config::name;
using config::optional;
using config::rest;

}  // namespace

Fields<LinkSection> link_fields() {
  return {
      "A link to virtual-time participants: the rig takes part in their simulation. The driver adds its own "
      "keys here.",
      {
          located(&LinkSection::origin),
          optional("driver", &LinkSection::driver, name(), "driver of the link: silkit"),
          rest(&LinkSection::device, "the driver's own"),
      }};
}

}  // namespace tactus::executive
