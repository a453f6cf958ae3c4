// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/provision.hpp"

#include <cstring>
#include <system_error>
#include <utility>

namespace tactus::rtsync {

std::string sentence(const Provision& provision) {
  if (provision.granted) {
    return provision.got.empty() || provision.got == provision.what
               ? provision.what + ": granted"
               : provision.what + ": granted (" + provision.got + ")";
  }
  std::string text = provision.what + ": refused";
  if (!provision.got.empty()) text += " (instead: " + provision.got + ")";
  if (!provision.cause.empty()) text += ": " + provision.cause;
  if (!provision.fix.empty()) text += "; fix: " + provision.fix;
  return text;
}

Provision granted(std::string what, std::string got) {
  return {.what = std::move(what), .granted = true, .got = std::move(got), .cause = {}, .fix = {}};
}

Provision refused(std::string what, std::string got, Refusal why) {
  return {.what = std::move(what),
          .granted = false,
          .got = std::move(got),
          .cause = std::move(why.cause),
          .fix = std::move(why.fix),
          .lacks = std::move(why.lacks),
          .forbidden_by = std::move(why.forbidden_by),
          .forbidden_call = std::move(why.forbidden_call)};
}

std::string error_words(int error) {
  const char* const name = ::strerrorname_np(error);
  return std::generic_category().message(error) + (name == nullptr ? "" : " (" + std::string(name) + ")");
}

std::string boot_fix(const std::string& parameter) {
  return "add '" + parameter +
         "' to GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then: sudo update-grub && sudo reboot";
}

}  // namespace tactus::rtsync
