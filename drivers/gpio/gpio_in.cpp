// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/gpio_in.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "drivers/gpio/holder.hpp"
#include "drivers/gpio/lines.hpp"
#include "drivers/gpio/settings.hpp"
#include "drivers/gpio/signal.hpp"

namespace tactus::drivers::gpio {
namespace {

struct InSettings {
  config::Origin origin{};
  std::string chip{};
  Bias bias = Bias::as_is;
  std::vector<NamedLines> lines{};

  std::vector<const NamedLines*> all() const {
    std::vector<const NamedLines*> pointers;
    for (const NamedLines& one : lines) pointers.push_back(&one);
    return pointers;
  }
};

const config::Fields<NamedLines>& in_line_fields() {
  static const config::Fields<NamedLines> fields{
      "The source of an output variable: one line (yes or no), or several (a number). 'door: 4' is short for "
      "'door: { line: 4 }', and 'address: [5, 6]' for 'address: { lines: [5, 6] }'.",
      {
          config::located(&NamedLines::origin),
          config::optional("line", &NamedLines::line, line_rule(), "number or name of the line"),
          config::optional("lines", &NamedLines::lines, line_rule(),
                           "numbers or names of the lines of one number, its lowest bit first"),
          config::optional("active_low", &NamedLines::active_low, "read a low line as yes, or as a 1 bit"),
      }};
  return fields;
}

const config::Fields<InSettings>& in_fields() {
  static const config::Fields<InSettings> fields{
      "Lines of one GPIO chip as output variables, read at the top of every frame",
      {
          config::located(&InSettings::origin),
          config::required("chip", &InSettings::chip, chip_rule(), kChipMeaning),
          config::optional("bias", &InSettings::bias, bias_words(), "bias resistor of the chip at the lines"),
          config::named("lines", &InSettings::lines, in_line_fields(), "variable", "the variables")
              .at_least(1),
      }};
  return fields;
}

/// Remembers nothing but its outputs. After a reset or a load they are as they were then, as for every other
/// model, until the next read at the top of the frame that follows.
class Inlet final : public executive::DrivenModel {
 public:
  Inlet(std::shared_ptr<const Gpio> gpio, InSettings settings)
      : gpio_(std::move(gpio)), settings_(std::move(settings)) {
    unsigned bit = 0;
    signals_.reserve(settings_.lines.size());
    for (const NamedLines& lines : settings_.lines)
      bit += signals_.emplace_back(lines, settings_.chip, bit).width();
  }

  void declare(Declare& d) override {
    for (Signal& signal : signals_) signal.declare_output(d);
    d.job<&Inlet::read>("first_read", JobClass::initialization);
    d.job<&Inlet::read>("read", JobClass::top_of_frame);
  }

  void open(const executive::OpenRequest& request) override {
    const std::unique_ptr<Chip> chip = open_chip(*gpio_, settings_.chip);
    const std::vector<unsigned> lines = find_lines(*chip, settings_.all());
    inputs_ = gpio::request(*chip, lines, [&] {
      return chip->request_inputs(lines, settings_.bias, consumer_of(request.rig, ::getpid()));
    });
  }

  int read() {
    if (inputs_ == nullptr) return fail_with("the lines were not opened");
    std::uint64_t levels = 0;
    if (const int error = inputs_->read(levels); error != 0) return fail_with(error_text(error));
    for (Signal& signal : signals_) signal.set(signal.value_of(levels));
    return 0;
  }

 private:
  int fail_with(const char* why) const {
    std::array<char, 256> text{};
    (void)std::snprintf(text.data(), text.size(), "cannot read the lines of GPIO chip %s: %s",
                        settings_.chip.c_str(), why);
    fail(text.data());
    return 1;
  }

  std::shared_ptr<const Gpio> gpio_;
  InSettings settings_;
  std::vector<Signal> signals_;
  std::unique_ptr<Inputs> inputs_;
};

}  // namespace

std::shared_ptr<const config::Section> GpioIn::section() const { return in_fields().shared_section(); }

std::unique_ptr<executive::DrivenModel> GpioIn::make(const config::Node& settings, const std::string& path,
                                                     config::Problems& problems) {
  const std::size_t before = problems.count();
  InSettings read = in_fields().load(written_out(settings), path, problems);
  check_lines(read.all(), read.origin, problems);
  if (problems.count() != before) return nullptr;
  return std::make_unique<Inlet>(gpio_, std::move(read));
}

}  // namespace tactus::drivers::gpio
