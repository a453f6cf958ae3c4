// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/limit/limited_job.hpp"
#include "executive/capability/limit/settings.hpp"

namespace tactus::executive {

const config::Fields<LimitSettings>& limit_fields() {
  using L = LimitSettings;
  static const config::Fields<L> fields{
      "What an output must not pass.",
      {
          config::optional("least", &L::least, "the least value"),
          config::optional("most", &L::most, "the greatest value"),
          config::optional("max_rate", &L::max_rate, "the greatest change in a second of simulated time"),
      }};
  return fields;
}

const CapabilitySection kLimitSection{
    nullptr, nullptr, [](Draft& draft) { draft.settings.of<PlannedLimits>() = compile_limits(draft); }};

}  // namespace tactus::executive
