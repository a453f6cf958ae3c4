// SPDX-License-Identifier: Apache-2.0
#include "config/rules.hpp"
#include "executive/capability/privilege/settings.hpp"

namespace tactus::executive {
namespace {

std::vector<config::Field<RigSettings>> privilege_keys() {
  return {rig_key(config::optional(
      "on_privilege_lost", &PrivilegeSettings::on_privilege_lost,
      config::choices<OnPrivilegeLost>(
          {{"go_on", OnPrivilegeLost::go_on, "report it, and continue"},
           {"freeze", OnPrivilegeLost::freeze, "freeze the rig"},
           {"terminate", OnPrivilegeLost::terminate, "end the rig, outputs safe"}}),
      "what to do if policy, priority, CPUs or the memory lock are lost while the rig runs; checked once a "
      "second and at the end"))};
}

}  // namespace

const CapabilitySection kPrivilegeSection{&privilege_keys};

}  // namespace tactus::executive
