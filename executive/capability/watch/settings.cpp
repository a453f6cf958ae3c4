// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/settings.hpp"

#include <chrono>

#include "config/rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using config::Fields;
using config::length;
using config::optional;
using config::or_word;
using config::range;

}  // namespace

Fields<WatchdogSection> watchdog_fields() {
  return {"Watchdogs that detect when the frames hang. The frames themselves serve both.",
          {
              optional("systemd", &WatchdogSection::systemd,
                       "answer systemd's WatchdogSec while frames end, if it asks"),
              optional(
                  "device", &WatchdogSection::device, or_word("none", length(1, 4096)),
                  "hardware watchdog that resets the machine, e.g. /dev/watchdog; auto: the first one found"),
              optional("timeout", &WatchdogSection::timeout, range(1s, 3600s),
                       "device only: reset the machine if no frame ends for this long (whole seconds)"),
          }};
}

}  // namespace tactus::executive
