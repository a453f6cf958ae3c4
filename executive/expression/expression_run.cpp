// SPDX-License-Identifier: Apache-2.0
#include "executive/expression/expression_run.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace tactus::executive {
namespace {

using config::Cell;
using config::Instruction;
using config::kNoWhole;
using config::Operation;
using config::real_of;
using config::Wide;

constexpr StepCode code_of(Operation operation) TACTUS_RT { return static_cast<StepCode>(operation); }

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Larger sums and products have no value, so that none is ever wrong.
Wide kept(Wide value) TACTUS_RT {
  constexpr Wide kMost = static_cast<Wide>(1) << 125;
  return value > kMost || value < -kMost ? kNoWhole : value;
}
Wide product_of(Wide a, Wide b) TACTUS_RT {
  if (std::abs(static_cast<double>(a) * static_cast<double>(b)) > 0x1p124) return kNoWhole;
  return a * b;
}
Wide whole_of(double value) TACTUS_RT {
  return std::abs(value) < 0x1p120 ? static_cast<Wide>(value) : kNoWhole;
}

double truth(bool holds) TACTUS_RT { return holds ? 1 : 0; }
double both(double a, double b) TACTUS_RT { return a == 0 || b == 0 ? 0 : a * b; }
double either(double a, double b) TACTUS_RT { return a == 1 || b == 1 ? 1 : a + b; }
double compared(bool no_value, bool holds) TACTUS_RT { return no_value ? kNoNumber : truth(holds); }
bool unordered(double a, double b) TACTUS_RT { return std::isunordered(a, b); }

double power_of(double base, std::int64_t exponent) TACTUS_RT {
  double result = 1;
  for (std::int64_t i = 0; i < std::abs(exponent); ++i) result *= base;
  return exponent < 0 ? 1 / result : result;
}

bool has_value(Operation edge, const Cell& cell) TACTUS_RT {
  return edge == Operation::change_whole ? cell.whole != kNoWhole : cell.real == cell.real;
}
/// An edge between a value and the last one before it, whatever lies between them. Without one before it there is none.
double edge(Operation operation, const Cell& before, const Cell& now) TACTUS_RT {
  if (!has_value(operation, before)) return 0;
  switch (operation) {
    case Operation::rise:
      return both(1 - before.real, now.real);
    case Operation::fall:
      return both(before.real, 1 - now.real);
    case Operation::change:
      return compared(!has_value(operation, now), before.real < now.real || before.real > now.real);
    default:
      return compared(!has_value(operation, now), before.whole != now.whole);
  }
}

void run_window(Operation operation, ExpressionWindow& window, const Cell& now, Cell& to) TACTUS_RT {
  switch (operation) {
    case Operation::window_mean:
    case Operation::window_rms: {
      const double taken = operation == Operation::window_rms ? now.real * now.real : now.real;
      const double sum = window.take_real(taken);
      const double mean = sum / static_cast<double>(window.filled());
      to.real = operation == Operation::window_rms ? std::sqrt(mean) : mean;
      break;
    }
    case Operation::window_count:
      to.whole = whole_of(window.take_real(now.real));
      break;
    case Operation::window_least_whole:
    case Operation::window_greatest_whole:
      to.whole = window.take_whole(now.whole);
      break;
    default:
      to.real = window.take_real(now.real);
  }
}

std::vector<ExpressionWindow> windows_of(const config::ExpressionProgram& program) {
  const auto combine_of = [](Operation operation) {
    using enum ExpressionWindow::Combine;
    return operation == Operation::window_least            ? least
           : operation == Operation::window_greatest       ? greatest
           : operation == Operation::window_least_whole    ? least_whole
           : operation == Operation::window_greatest_whole ? greatest_whole
                                                           : sum;
  };
  std::vector<ExpressionWindow> windows;
  for (const Instruction& each : program.instructions)
    if (is_window(each.operation)) windows.emplace_back(combine_of(each.operation), each.ticks);
  return windows;
}

}  // namespace

ExpressionRun::ExpressionRun(config::ExpressionProgram program)
    : program_(std::move(program)),
      cells_(program_.cells),
      memory_(program_.memory_cells),
      windows_(windows_of(program_)) {
  steps_.reserve(program_.instructions.size());
  for (const Instruction& each : program_.instructions) add_step(each);
  begin_anew();
}

void ExpressionRun::begin_anew() {
  first_ = true;
  for (Cell& cell : memory_) cell.whole = 0;
  for (ExpressionWindow& window : windows_) window.begin_anew();
}

/// Adds an instruction, as a step of its own or to the one before it.
void ExpressionRun::add_step(const Instruction& instruction) {
  const auto number = static_cast<std::uint32_t>(&instruction - program_.instructions.data());
  if (!steps_.empty() && steps_.back().code < kSingleCodes) {
    ExpressionStep& last = steps_.back();
    const auto first = static_cast<Operation>(last.code);
    const bool left = instruction.a == last.to;
    if (pair_number(first, instruction.operation) != kNoPair && left != (instruction.b == last.to)) {
      last.code = pair_code(first, instruction.operation, left);
      last.second_to = instruction.to;
      last.second = left ? instruction.b : instruction.a;
      return;
    }
  }
  steps_.push_back({code_of(instruction.operation), instruction.to, instruction.a, instruction.b, 0, number});
}

void ExpressionRun::run() TACTUS_RT {
  Cell* const cells = cells_.data();
  for (const ExpressionStep& at : steps_) {
    // Read as the kind of number that was written: another width of the same memory waits for the write.
    const Cell& a = cells[at.a];
    const Cell& b = cells[at.b];
    Cell& to = cells[at.to];
    const auto instruction = [&]()
                                 TACTUS_RT -> const Instruction& { return program_.instructions[at.second]; };
    switch (at.code) {
#define TACTUS_RUN_PAIR(first, second)                              \
  case pair_code(Operation::first, Operation::second, true):        \
    do_pair<Operation::first, Operation::second, true>(at, cells);  \
    break;                                                          \
  case pair_code(Operation::first, Operation::second, false):       \
    do_pair<Operation::first, Operation::second, false>(at, cells); \
    break;
      TACTUS_STEP_PAIRS(TACTUS_RUN_PAIR)
#undef TACTUS_RUN_PAIR
      case code_of(Operation::add):
        to.real = a.real + b.real;
        break;
      case code_of(Operation::subtract):
        to.real = a.real - b.real;
        break;
      case code_of(Operation::multiply):
        to.real = a.real * b.real;
        break;
      case code_of(Operation::divide):
        to.real = a.real / b.real;
        break;
      case code_of(Operation::negate):
        to.real = -a.real;
        break;
      case code_of(Operation::absolute):
        to.real = std::abs(a.real);
        break;
      case code_of(Operation::least):
        to.real = unordered(a.real, b.real) ? kNoNumber : a.real < b.real ? a.real : b.real;
        break;
      case code_of(Operation::greatest):
        to.real = unordered(a.real, b.real) ? kNoNumber : a.real > b.real ? a.real : b.real;
        break;
      case code_of(Operation::power):
        to.real = power_of(a.real, instruction().ticks);
        break;
      case code_of(Operation::root):
        to.real = std::sqrt(a.real);
        break;
      case code_of(Operation::sine):
        to.real = std::sin(a.real);
        break;
      case code_of(Operation::cosine):
        to.real = std::cos(a.real);
        break;
      case code_of(Operation::tangent):
        to.real = std::tan(a.real);
        break;
      case code_of(Operation::arcsine):
        to.real = std::asin(a.real);
        break;
      case code_of(Operation::arccosine):
        to.real = std::acos(a.real);
        break;
      case code_of(Operation::arctangent):
        to.real = std::atan(a.real);
        break;
      case code_of(Operation::angle):
        to.real = std::atan2(a.real, b.real);
        break;
      case code_of(Operation::length):
        to.real = unordered(a.real, b.real) ? kNoNumber : std::hypot(a.real, b.real);  // also beside infinity
        break;
      case code_of(Operation::exponential):
        to.real = std::exp(a.real);
        break;
      case code_of(Operation::logarithm):
        to.real = std::log(a.real);
        break;
      case code_of(Operation::logarithm_10):
        to.real = std::log10(a.real);
        break;
      case code_of(Operation::scale):
        to.real = a.real * instruction().parameter[0] + instruction().parameter[1];
        break;
      case code_of(Operation::shrink):
        to.real = a.real / instruction().parameter[0] + instruction().parameter[1];
        break;
      case code_of(Operation::below):
        to.real = compared(unordered(a.real, b.real), a.real < b.real);
        break;
      case code_of(Operation::at_most):
        to.real = compared(unordered(a.real, b.real), a.real <= b.real);
        break;
      case code_of(Operation::equal):
      case code_of(Operation::same):
        to.real = compared(unordered(a.real, b.real), a.real >= b.real && a.real <= b.real);
        break;
      case code_of(Operation::other):
      case code_of(Operation::differ):
        to.real = compared(unordered(a.real, b.real), a.real < b.real || a.real > b.real);
        break;
      case code_of(Operation::to_real):
        to.real = real_of(a.whole);
        break;
      case code_of(Operation::floor):
        to.whole = whole_of(std::floor(a.real));
        break;
      case code_of(Operation::ceiling):
        to.whole = whole_of(std::ceil(a.real));
        break;
      case code_of(Operation::nearest):
        to.whole = whole_of(std::round(a.real));
        break;
      case code_of(Operation::sign):
        to.whole =
            a.real != a.real ? kNoWhole : static_cast<Wide>(a.real > 0) - static_cast<Wide>(a.real < 0);
        break;
      case code_of(Operation::add_whole):
        to.whole = a.whole == kNoWhole || b.whole == kNoWhole ? kNoWhole : kept(a.whole + b.whole);
        break;
      case code_of(Operation::subtract_whole):
        to.whole = a.whole == kNoWhole || b.whole == kNoWhole ? kNoWhole : kept(a.whole - b.whole);
        break;
      case code_of(Operation::multiply_whole):
        to.whole = a.whole == kNoWhole || b.whole == kNoWhole ? kNoWhole : product_of(a.whole, b.whole);
        break;
      case code_of(Operation::negate_whole):
        to.whole = a.whole == kNoWhole ? kNoWhole : -a.whole;
        break;
      case code_of(Operation::absolute_whole):
        to.whole = a.whole < 0 ? -a.whole : a.whole;
        break;
      case code_of(Operation::least_whole):
        to.whole = a.whole == kNoWhole || b.whole == kNoWhole ? kNoWhole
                   : a.whole < b.whole                        ? a.whole
                                                              : b.whole;
        break;
      case code_of(Operation::greatest_whole):
        to.whole = a.whole > b.whole ? a.whole : b.whole;  // kNoWhole is the greatest
        break;
      case code_of(Operation::below_whole):
        to.real = compared(a.whole == kNoWhole || b.whole == kNoWhole, a.whole < b.whole);
        break;
      case code_of(Operation::at_most_whole):
        to.real = compared(a.whole == kNoWhole || b.whole == kNoWhole, a.whole <= b.whole);
        break;
      case code_of(Operation::equal_whole):
        to.real = compared(a.whole == kNoWhole || b.whole == kNoWhole, a.whole == b.whole);
        break;
      case code_of(Operation::other_whole):
        to.real = compared(a.whole == kNoWhole || b.whole == kNoWhole, a.whole != b.whole);
        break;
      case code_of(Operation::both):
        to.real = both(a.real, b.real);
        break;
      case code_of(Operation::either):
        to.real = either(a.real, b.real);
        break;
      case code_of(Operation::invert):
        to.real = 1 - a.real;
        break;
      default:
        run_with_memory(instruction());
    }
  }
  first_ = false;
}

void ExpressionRun::run_with_memory(const Instruction& at) TACTUS_RT {
  const Cell& now = cells_[at.a];
  Cell& to = cells_[at.to];
  if (is_window(at.operation)) return run_window(at.operation, windows_[at.memory], now, to);
  if (at.operation >= Operation::whole_run_least) return run_over_all(at);
  Cell& memory = memory_[at.memory];
  switch (at.operation) {
    case Operation::once:
      to.real = truth(memory.whole == 0 && now.real == 1);
      if (now.real == 1) memory.whole = 1;
      break;
    case Operation::count:
      memory.whole += now.real == 1 ? 1 : 0;
      to.whole = memory.whole;
      break;
    case Operation::held:
      memory.whole = now.real == 1 ? memory.whole + 1 : 0;
      to.real = now.real != now.real ? kNoNumber : truth(memory.whole >= at.ticks);
      break;
    case Operation::rise:
    case Operation::fall:
    case Operation::change:
      if (first_) memory.real = kNoNumber;
      to.real = edge(at.operation, memory, now);
      if (now.real == now.real) memory.real = now.real;
      break;
    case Operation::change_whole:
      if (first_) memory.whole = kNoWhole;
      to.real = edge(at.operation, memory, now);
      if (now.whole != kNoWhole) memory.whole = now.whole;
      break;
    case Operation::previous:
      to.real = first_ ? now.real : memory.real;
      memory.real = now.real;
      break;
    case Operation::previous_whole:
      to.whole = first_ ? now.whole : memory.whole;
      memory.whole = now.whole;
      break;
    default: {  // rate
      const double before = memory.real;
      memory.real = now.real;
      to.real = first_ ? 0 : (now.real - before) / at.parameter[0];
    }
  }
}

/// Memory cells: number of values, or of frames; the value so far; what a sum lost to rounding, or that there is a first.
void ExpressionRun::run_over_all(const Instruction& at) TACTUS_RT {
  const double now = cells_[at.a].real;
  double& to = cells_[at.to].real;
  Cell& number = memory_[at.memory];
  double& value = memory_[at.memory + 1].real;
  Cell& more = memory_[at.memory + 2];
  const auto seconds = [&](Wide frames) TACTUS_RT {
    return static_cast<double>(frames) * at.parameter[0] / (at.parameter[1] * 1e9);
  };
  if (at.operation == Operation::whole_run_last) {
    ++number.whole;
    if (now == 1) value = seconds(number.whole);
    to = value;
    return;
  }
  if (at.operation == Operation::whole_run_first) {
    if (now == 1 && more.whole == 0) {
      value = seconds(number.whole);
      more.whole = 1;
    }
    ++number.whole;
    to = more.whole == 0 ? kNoNumber : value;
    return;
  }
  if (now == now) {
    ++number.whole;
    const double next = at.operation == Operation::whole_run_rms ? now * now : now;
    if (at.operation == Operation::whole_run_least || at.operation == Operation::whole_run_greatest) {
      const bool least = at.operation == Operation::whole_run_least;
      if (number.whole == 1 || (least ? next < value : next > value)) value = next;
    } else {  // Neumaier's sum
      const double sum = value + next;
      if (std::isfinite(sum))  // else nothing is lost to rounding, and this would be no number
        more.real += std::abs(value) >= std::abs(next) ? (value - sum) + next : (next - sum) + value;
      value = sum;
    }
  }
  const double count = static_cast<double>(number.whole);
  if (number.whole == 0)
    to = kNoNumber;
  else if (at.operation == Operation::whole_run_mean)
    to = (value + more.real) / count;
  else if (at.operation == Operation::whole_run_rms)
    to = std::sqrt((value + more.real) / count);
  else
    to = value;
}

}  // namespace tactus::executive
