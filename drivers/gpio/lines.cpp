// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/lines.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "drivers/gpio/holder.hpp"
#include "drivers/gpio/text.hpp"

namespace tactus::drivers::gpio {
namespace {

std::string message(int error) { return std::generic_category().message(error); }

bool all_digits(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string lines_text(unsigned count) { return std::to_string(count) + (count == 1 ? " line" : " lines"); }

/// "; the chips here are gpiochip0 (pinctrl-bcm2711, 54 lines), ..."
std::string chips_here(const Gpio& gpio) {
  std::string list;
  for (const std::string& path : gpio.paths()) {
    list += (list.empty() ? "" : ", ") + path;
    try {
      const std::unique_ptr<Chip> chip = gpio.open(path);
      list += " (" + in_quotes(chip->info().label) + ", " + lines_text(chip->info().lines) + ")";
    } catch (const std::system_error& error) {
      list += " (" + message(error.code().value()) + ")";
    }
  }
  if (list.empty())
    return "; this machine has no GPIO chip at all (no /dev/gpiochip*): its driver is not loaded or not in "
           "the "
           "kernel";
  return "; the chips here are " + list;
}

std::unique_ptr<Chip> open_path(const Gpio& gpio, const std::string& path, const std::string& which) {
  try {
    return gpio.open(path);
  } catch (const std::system_error& refused) {
    const int error = refused.code().value();
    if (error == EACCES || error == EPERM) throw GpioError(no_permission(path));
    if (error == ENOENT || error == ENXIO)
      throw GpioError("there is no GPIO chip " + in_quotes(which) + chips_here(gpio));
    if (error == ENOTTY || error == EINVAL) throw GpioError(path + " is not a GPIO chip" + chips_here(gpio));
    throw GpioError("cannot open GPIO chip " + path + ": " + message(error));
  }
}

std::unique_ptr<Chip> open_label(const Gpio& gpio, const std::string& label) {
  std::vector<std::unique_ptr<Chip>> found;
  std::string denied;
  for (const std::string& path : gpio.paths()) {
    try {
      std::unique_ptr<Chip> chip = gpio.open(path);
      if (chip->info().label == label) found.push_back(std::move(chip));
    } catch (const std::system_error& refused) {
      const int error = refused.code().value();
      if (denied.empty() && (error == EACCES || error == EPERM)) denied = no_permission(path);
    }
  }
  if (found.size() == 1) return std::move(found.front());
  if (found.size() > 1)
    throw GpioError("GPIO chips " + found[0]->info().path + " and " + found[1]->info().path +
                    " are both labelled " + in_quotes(label) + "; give the path of one of them");
  throw GpioError("there is no GPIO chip " + in_quotes(label) +
                  (denied.empty() ? chips_here(gpio) : "; and there is " + denied));
}

/// Name of a user or group; its number when it has none.
template <class Id, class Entry>
std::string name_by_id(Id id, int (*get)(Id, Entry*, char*, std::size_t, Entry**), char* Entry::*name) {
  Entry entry{};
  Entry* found = nullptr;
  std::array<char, 4096> buffer{};
  if (get(id, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return std::to_string(id);
  return found->*name;
}

}  // namespace

std::unique_ptr<Chip> open_chip(const Gpio& gpio, const std::string& which) {
  constexpr std::string_view kName = "gpiochip";
  if (which.starts_with('/')) return open_path(gpio, which, which);
  if (all_digits(which)) return open_path(gpio, "/dev/gpiochip" + which, which);
  if (which.starts_with(kName) && all_digits(which.substr(kName.size())))
    return open_path(gpio, "/dev/" + which, which);
  return open_label(gpio, which);
}

unsigned find_line(const Chip& chip, const std::string& which) {
  const ChipInfo& info = chip.info();
  const std::string where = info.name + " (" + in_quotes(info.label) + ")";
  if (all_digits(which)) {
    unsigned offset = 0;
    const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), offset);
    if (error != std::errc{} || end != which.data() + which.size() || offset >= info.lines)
      throw GpioError(where + " has no line " + which + "; its lines are 0 .. " +
                      std::to_string(info.lines == 0 ? 0 : info.lines - 1));
    return offset;
  }
  std::vector<unsigned> found;
  std::vector<std::string> names;
  for (unsigned offset = 0; offset < info.lines; ++offset) {
    const std::string name = request(chip, {offset}, [&chip, offset] { return chip.line(offset); }).name;
    if (name.empty()) continue;
    if (name == which) found.push_back(offset);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    throw GpioError(where + " has two lines named " + in_quotes(which) + ": " + std::to_string(found[0]) +
                    " and " + std::to_string(found[1]) + "; give the number of one of them");
  throw GpioError(where + " has no line named " + in_quotes(which) + "; " +
                  (names.empty() ? "none of its lines has a name: give its number, 0 .. " +
                                       std::to_string(info.lines == 0 ? 0 : info.lines - 1)
                                 : hint(which, names)));
}

std::string line_text(const Chip& chip, unsigned line) {
  std::string name;
  try {
    name = chip.line(line).name;
  } catch (const std::system_error&) {  // the number alone says which
  }
  return "line " + std::to_string(line) + " of " + chip.info().name + (name.empty() ? "" : " (" + name + ")");
}

std::string no_permission(const std::string& path) {
  struct stat status {};
  std::string begin = "no permission for GPIO chip " + path;
  if (::stat(path.c_str(), &status) != 0) return begin;
  const std::string user = name_by_id(status.st_uid, ::getpwuid_r, &passwd::pw_name);
  const std::string group = name_by_id(status.st_gid, ::getgrgid_r, &group::gr_name);
  std::array<char, 8> mode{};
  (void)std::snprintf(mode.data(), mode.size(), "%04o", status.st_mode & 07777U);
  const std::string owner =
      begin + ": it belongs to user " + user + " and group " + group + ", mode " + mode.data();
  if (status.st_gid == 0 || (status.st_mode & (S_IRGRP | S_IWGRP)) != (S_IRGRP | S_IWGRP))
    return owner + "; give it to group gpio with the udev rules of tactus (" + page_path("bench-setup.md") +
           "), then sudo usermod -aG gpio $USER, and log in again";
  return owner + "; sudo usermod -aG " + group + " $USER, and log in again";
}

void refuse(const Chip& chip, const std::vector<unsigned>& lines, int error) {
  std::string all;
  struct Held {
    std::string first;
    std::string by;
    std::string others;
  };
  std::vector<Held> held;
  for (const unsigned line : lines) {
    const std::string text = line_text(chip, line);
    all += (all.empty() ? "" : ", ") + text;
    if (error != EBUSY) continue;
    try {
      const LineInfo info = chip.line(line);
      if (!info.used) continue;
      const std::string by = held_by(info.consumer);
      const auto same = std::ranges::find(held, by, &Held::by);
      if (same == held.end()) {
        held.push_back({text, by, {}});
      } else {
        same->others += (same->others.empty() ? "; so is line " : ", ") + std::to_string(line);
      }
    } catch (const std::system_error&) {  // then it is not the one in use
    }
  }
  std::string busy;
  for (const Held& one : held) busy += (busy.empty() ? "" : ". ") + one.first + " " + one.by + one.others;
  switch (error) {
    case EBUSY:
      if (!busy.empty()) throw GpioError(busy);
      throw GpioError(all + ": was in use a moment ago, and is free now; try again");
    case EACCES:
    case EPERM:
      throw GpioError(all + ": the kernel does not permit it (" + message(error) + ")");
    case ENODEV:
      throw GpioError(all + ": the chip is gone; plug it in again, or load its driver");
    case EINVAL:
    case ENOTSUP:
      throw GpioError(all + ": the chip does not support what was requested (" + message(error) +
                      "); remove 'bias' or 'drive', or use a line that supports it");
    case ENXIO:
      throw GpioError(all + ": has no interrupts, so its edges cannot be seen; use a line with interrupts");
    default:
      throw GpioError(all + ": " + message(error));
  }
}

}  // namespace tactus::drivers::gpio
