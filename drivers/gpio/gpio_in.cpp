// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/gpio_in.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>

#include "drivers/gpio/holder.hpp"
#include "drivers/gpio/lines.hpp"
#include "drivers/gpio/text.hpp"
#include "drivers/gpio/words.hpp"

namespace tactus::drivers::gpio {
namespace {

bool begins_as_variable(const std::string& name) {
  const char first = name.empty() ? '0' : name.front();
  return name.find('-') == std::string::npos && !(first >= '0' && first <= '9');
}

}  // namespace

void GpioIn::keys(Keys& k) {
  constexpr auto kLongest = static_cast<double>(kMostName);
  k.text("chip", chip_, {1, 200}, kChipMeaning).required();
  k.word<Bias>("bias", bias_, kBiasWords, "bias resistor of the chip at the lines");
  k.named("lines", entries_, "variable", "the variables",
          [](Keys& inner, Entry& entry) {
            inner.text("line", entry.line, {1, kLongest}, "number or name of the line");
            inner.texts("lines", entry.lines, {1, kLongest},
                        "numbers or names of the lines of one number, its lowest bit first");
            inner.yes_no("active_low", entry.active_low, "read a low line as yes, or as a 1 bit");
          })
      .at_least(1)
      .short_value("line")
      .short_list("lines")
      .about(
          "The source of an output variable: one line (yes or no), or several (a number). 'door: 4' is short "
          "for "
          "'door: { line: 4 }', and 'address: [5, 6]' for 'address: { lines: [5, 6] }'.");
}

void GpioIn::check(const Problems& problems) {
  std::size_t count = 0;
  std::map<std::string, std::string> first_use;
  for (const Entry& entry : entries_) {
    const std::string path = "lines." + entry.name;
    if (!begins_as_variable(entry.name))
      problems.add(path, in_quotes(entry.name) +
                             " becomes a variable: letters, digits and '_', and a letter or '_' comes first");
    const bool single = !entry.line.empty();
    if (single != entry.lines.empty())
      problems.add(path, single ? "has 'line' and 'lines'; one line is a yes or no, several are a number: "
                                  "remove one of the two"
                                : "has no line; write 'line: 4', or 'lines: [4, 5]' for a number");
    const LineGroup& group = groups_.emplace_back(
        LineGroup{entry.name, single ? std::vector{entry.line} : entry.lines, single, entry.active_low});
    for (std::size_t i = 0; i < group.lines.size(); ++i, ++count) {
      const auto [at, fresh] = first_use.emplace(group.lines[i], entry.name);
      if (!fresh)
        problems.add(path + (single ? ".line" : ".lines[" + std::to_string(i) + "]"),
                     "line " + group.lines[i] + " is already used by " + in_quotes(at->second));
    }
  }
  if (count > kMostLines)
    problems.add("", std::to_string(count) +
                         " lines; all lines of a model are one request, and the kernel takes " +
                         std::to_string(kMostLines) + " in one: make two models of them");
}

void GpioIn::declare(Declare& d) {
  unsigned bit = 0;
  signals_.reserve(groups_.size());
  for (const LineGroup& group : groups_) bit += signals_.emplace_back(group, chip_, bit).width();
  for (Signal& signal : signals_) signal.declare_output(d);
  d.job<&GpioIn::read>("first_read", JobClass::initialization);
  d.job<&GpioIn::read>("read", JobClass::top_of_frame);
}

void GpioIn::open(const OpenRequest& request) {
  if (gpio_ == nullptr) gpio_ = system_gpio();
  const std::unique_ptr<Chip> chip = open_chip(*gpio_, chip_);
  const std::vector<unsigned> lines = find_lines(*chip, groups_);
  inputs_ = gpio::request(
      *chip, lines, [&] { return chip->request_inputs(lines, bias_, consumer_of(request.rig, ::getpid())); });
}

int GpioIn::read() {
  if (inputs_ == nullptr) return fail_with("the lines were not opened");
  std::uint64_t levels = 0;
  if (const int error = inputs_->read(levels); error != 0) return fail_with(error_text(error));
  for (Signal& signal : signals_) signal.set(signal.value_of(levels));
  return 0;
}

int GpioIn::fail_with(const char* why) const {
  std::array<char, 256> text{};
  (void)std::snprintf(text.data(), text.size(), "cannot read the lines of GPIO chip %s: %s", chip_.c_str(),
                      why);
  fail(text.data());
  return 1;
}

const tactus_driver* gpio_in_entry() {
  return tactus::detail::model_entry<GpioIn>(
      "gpio_in", "Lines of one GPIO chip as output variables, read at the top of every frame");
}

}  // namespace tactus::drivers::gpio
