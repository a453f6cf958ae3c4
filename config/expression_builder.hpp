// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Checks names and units of expressions, and compiles them into one program.
///
/// Threads  one thread at setup.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/expression.hpp"
#include "config/expression_program.hpp"
#include "config/unit.hpp"

namespace tactus::config {

/// Names of the values of a variable.
using ExpressionLabels = std::vector<std::pair<std::string, Wide>>;

/// A value in an expression while it is compiled.
struct ExpressionValue {
  CellType type = CellType::real;
  std::uint32_t cell = 0;
  Unit unit{};
  const ExpressionLabels* labels = nullptr;  ///< names of its values
  bool is_event = false;                     ///< true in single frames
  bool difference = false;                   ///< made of a difference of values with a zero point
  const Expression* literal = nullptr;  ///< a number that was written out: its unit fits where it is used
};

/// Gives the names of expressions their meaning.
class ExpressionNames {
 public:
  virtual ~ExpressionNames() = default;

  struct Found {
    CellType type = CellType::real;
    Unit unit{};
    const ExpressionLabels* labels = nullptr;
    std::uint32_t key = 0;                ///< key of ProgramInput
    std::optional<std::uint32_t> cell{};  ///< it is this cell of the same program: an event
  };
  /// Nothing, and `why`: "there is no variable 'motor.sped'; did you mean 'motor.speed'?"        @when setup
  virtual std::optional<Found> find(const std::string& name, std::string& why) const = 0;
  /// The value that a recording has in each frame. `value`: the name beside it; empty: it has none.  @when setup
  virtual std::optional<Found> find_recording(const Expression& recording, const std::string& value,
                                              std::string& why) const;
};

class ExpressionBuilder {
 public:
  struct Choices {
    rtsync::Period tick{1'000'000, 1};  ///< simulated time between two evaluations
    bool equal_reals = false;           ///< == and != of real numbers are allowed: older conditions have them
    bool once = false;                  ///< it is evaluated once, so edges, windows and times mean nothing
  };

  ExpressionBuilder(const ExpressionNames& names, Choices choices) : names_(names), choices_(choices) {}

  /// Compiles one more expression. Its mistakes are added to `problems`; nothing: there were some.  @when setup
  std::optional<ExpressionValue> add(const Expression& expression, std::vector<ExpressionProblem>& problems);
  /// The same of a condition: another kind of value is a mistake.
  std::optional<ExpressionValue> add_condition(const Expression& expression,
                                               std::vector<ExpressionProblem>& problems);
  /// Compiles what is measured over a run: its value is that of the last frame. min, max, mean and rms of one argument
  /// are those of all frames, last(C) and first(C) are times; a condition is 1 or 0.                @when setup
  std::optional<ExpressionValue> add_measure(const Expression& expression,
                                             std::vector<ExpressionProblem>& problems);
  /// The margin of a condition, compiled before: its distance from where it would change, positive while it holds, in the
  /// unit of its left side; of temperatures in K. It is the robustness of signal temporal logic (A. Donze, O. Maler, Robust Satisfaction of
  /// Temporal Logic over Real-Valued Signals, FORMATS 2010):
  ///
  ///     x < y     y - x            x == y    of whole numbers -abs(x - y), and infinite where they are equal
  ///     not C     its negative     C for T   the least in the time T, and infinite until n frames have been
  ///     A and B   the least        else      a condition without numbers: infinite, above 0 while it holds
  ///     A or B    the greatest
  ///
  /// Infinite means that no number decides. Nothing, and `why`: no comparison of numbers is in it, or the units of two do
  /// not fit each other.                                                                            @when setup
  std::optional<ExpressionValue> add_margin(const Expression& condition, std::string& why);
  /// The value and the tolerance of a `within` that was compiled before, as real cells in the unit of the value.  @when setup
  std::optional<std::pair<ExpressionValue, ExpressionValue>> add_tolerance(const Expression& within);
  /// The right side of a comparison that was compiled before, in the unit of the left one, which is a name. Nothing: it
  /// is another kind of condition.                                                               @when setup
  std::optional<ExpressionValue> add_limit(const Expression& condition);
  /// Returns a unit that can be written: the one of the base units where it has no text of its own, as K for that of a
  /// difference of two degF.                                                                        @when setup
  static Unit written_unit(const Unit& unit);
  /// The frames of a time, rounded up, at least one.
  std::int64_t ticks_of(Nanoseconds time) const;

  std::uint32_t add_count(std::uint32_t cell, bool is_event);
  std::uint32_t add_rise(std::uint32_t cell);
  /// The frames in which a condition begins to hold: all of them, or the first one.
  std::uint32_t add_event(const ExpressionValue& condition, bool each);
  std::uint32_t constant(double value);

  const ExpressionProgram& program() const { return program_; }
  ExpressionProgram take() { return std::move(program_); }

 private:
  using Value = ExpressionValue;
  using Complaints = std::vector<ExpressionProblem>;
  /// A complaint on the way up: the part has no value.
  struct Refused {};

  [[noreturn]] void refuse(const Expression& at, const std::string& why);
  template <class Compile>
  auto tried(Complaints& problems, Compile compile) -> std::optional<decltype(compile())>;
  Value compile(const Expression& expression);
  Value compile_part(const Expression& expression);
  Value compile_name(const Expression& name);
  Value compile_recording(const Expression& recording, const std::string& value);
  Value input(const ExpressionNames::Found& found);
  Value compile_number(const Expression& number);
  Value compile_binary(const Expression& expression);
  Value compile_compared(const Expression& expression);
  Value compile_within(const Expression& expression);
  Value distance(const Value& x, const Value& y);
  Value compile_call(const Expression& call);
  Value compile_window(const Expression& call);
  Value event(std::uint32_t cell);
  Value compile_edge(const Expression& call);
  Value compile_whole_run(const Expression& call);
  std::optional<ExpressionValue> margin_of(const Expression& condition, std::string& why);
  std::optional<ExpressionValue> margin_of_compared(const Expression& condition);
  std::optional<ExpressionValue> margin_of_held(const Expression& condition, std::string& why);
  std::optional<ExpressionValue> margin_of_two(const Expression& condition, std::string& why);
  std::uint32_t add_infinity(std::uint32_t truth);
  std::uint32_t add_unless(std::uint32_t truth, std::uint32_t number);
  Value compile_held(const Expression& expression);
  Value compile_logic(const Expression& expression);

  std::pair<Value, Value> compile_pair(const Expression& a, const Expression& b);
  Value beside(const Expression& part, const Expression& other);
  std::optional<Value> label(const Expression& name, const Value& other);
  std::pair<Value, Value> unify(const Expression& a, Value left, const Expression& b, Value right);
  Value number(const Expression& expression, const char* of);
  Value truth(const Expression& expression, const char* of);
  Value real(Value value);
  Value in_unit(const Expression& at, Value value, const Unit& unit);
  Value in_written_unit(const Expression& at, const Value& value);  ///< its unit as written_unit() says
  Value settled(Value value);  ///< a literal becomes a constant of its own unit
  void no_zero_point(const Expression& at, const Value& value);
  void needs_time(const Expression& at);
  void check_window(const Expression& call, std::int64_t ticks);

  std::uint32_t whole_constant(Wide value);
  std::uint32_t emit(Instruction instruction);
  std::uint32_t emit(Operation operation, std::uint32_t a, std::uint32_t b = 0);
  Value result(CellType type, std::uint32_t cell, const Unit& unit = {});

  const ExpressionNames& names_;
  const Choices choices_;
  ExpressionProgram program_;
  bool difference_ = false;  // a part of what is compiled is one
  bool whole_run_ = false;   // what is compiled is measured over a run
  Complaints* complaints_ = nullptr;
  using Shape = std::tuple<Operation, std::uint32_t, std::uint32_t, double, double, std::int64_t>;
  std::map<Shape, std::uint32_t> emitted_;
  std::map<std::uint32_t, std::uint32_t> inputs_;  // key to cell
  std::map<std::uint64_t, std::uint32_t> reals_;   // bits to cell
  std::map<std::pair<std::int64_t, std::uint64_t>, std::uint32_t> wholes_;
};

/// Names of all functions, for messages and the documentation.
std::vector<std::string> expression_functions();

}  // namespace tactus::config
