// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Content of modelDescription.xml of FMI 2.0 and 3.0, as one typed value.
///
/// Threads  a value. @when setup
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::drivers::fmi {

enum class Version : std::uint8_t { fmi2, fmi3 };
/// Kinds of interface that a rig uses.
enum class Execution : std::uint8_t { co_simulation, scheduled };

/// Types of FMI 3.0. Real of 2.0 is float64, Integer int32.
enum class Type : std::uint8_t {
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  string,
  binary,
  enumeration,
  clock
};
constexpr std::size_t kTypes = 15;
std::string_view name_of(Type type);  ///< "Float64"
constexpr bool is_float(Type type) { return type == Type::float32 || type == Type::float64; }
constexpr bool is_integer(Type type) { return type >= Type::int8 && type <= Type::uint64; }

/// Calls visit(T{}) with the C type that a unit has for values of a type, and returns what it returns; `other` for String,
/// Binary and Clock.
template <class Visit, class Answer>
constexpr Answer with_type(Type type, Version version, Visit visit, Answer other) {
  switch (type) {
    case Type::float32:
      return visit(float{});
    case Type::float64:
      return visit(double{});
    case Type::int8:
      return visit(std::int8_t{});
    case Type::uint8:
      return visit(std::uint8_t{});
    case Type::int16:
      return visit(std::int16_t{});
    case Type::uint16:
      return visit(std::uint16_t{});
    case Type::int32:
      return visit(std::int32_t{});
    case Type::uint32:
      return visit(std::uint32_t{});
    case Type::int64:
      return visit(std::int64_t{});
    case Type::uint64:
      return visit(std::uint64_t{});
    case Type::boolean:
      return version == Version::fmi2 ? visit(int{}) : visit(bool{});
    case Type::enumeration:
      return version == Version::fmi2 ? visit(std::int32_t{}) : visit(std::int64_t{});
    default:
      return other;
  }
}

enum class Causality : std::uint8_t {
  parameter,
  calculated_parameter,
  structural_parameter,
  input,
  output,
  local,
  independent
};
enum class Variability : std::uint8_t { constant, fixed, tunable, discrete, continuous };
enum class Initial : std::uint8_t { none, exact, approx, calculated };
std::string_view name_of(Causality causality);
std::string_view name_of(Variability variability);
std::string_view name_of(Initial initial);

/// Exponents of kg, m, s, A, K, mol, cd, rad.
using Exponents = std::array<int, 8>;
constexpr std::array<const char*, 8> kBaseUnits = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};

/// A unit. A value x in it is factor * x + offset in base units.
struct UnitDefinition {
  std::string name;
  bool has_base = false;  ///< false: it is a text alone
  Exponents exponents{};
  double factor = 1;
  double offset = 0;
};

struct Item {
  std::string name;
  std::int64_t value;
};

struct TypeDefinition {
  std::string name;
  Type type = Type::float64;
  std::string unit{};
  bool relative = false;  ///< a difference: the unit's offset does not count
  std::optional<double> low{}, high{};
  std::vector<Item> items{};
};

/// Size of an array in one direction.
struct Dimension {
  std::uint64_t size = 0;                  ///< constant, or the start value of the parameter
  std::optional<std::uint32_t> parameter;  ///< value reference of the structural parameter
};

/// Values of a variable before initialization, in the member of its type.
struct Start {
  bool given = false;
  std::vector<double> numbers;       ///< float types
  std::vector<std::int64_t> wholes;  ///< integers, enumerations, booleans; uint64 by its bits
  std::vector<std::string> texts;    ///< strings, and binaries as bytes
};

/// Attributes of a Clock.
struct ClockFacts {
  std::string interval_variability;
  std::optional<double> interval, shift;
  std::optional<std::uint64_t> interval_counter, shift_counter, resolution;
  std::optional<std::uint32_t> priority;
};

struct Variable {
  std::string name;
  std::uint32_t reference = 0;
  Type type = Type::float64;
  Causality causality = Causality::local;
  Variability variability = Variability::discrete;
  Initial initial = Initial::none;
  std::string about{};
  std::string unit{};
  bool relative = false;
  std::optional<double> low{}, high{};
  std::vector<Item> items{};
  std::vector<Dimension> dimensions{};
  Start start{};
  std::vector<std::uint32_t> clocks{};  ///< value references of the clocks it belongs to
  ClockFacts clock{};

  bool is_parameter() const {
    return causality == Causality::parameter || causality == Causality::structural_parameter;
  }
};

/// Capabilities of one kind of interface.
struct Interface {
  std::string identifier;  ///< modelIdentifier: name of its library
  bool needs_execution_tool = false;
  bool once_per_process = false;
  bool no_memory_functions = false;  ///< canNotUseMemoryManagementFunctions, 2.0
  bool get_and_set_state = false;
  bool serialize_state = false;
  bool variable_step = false;
  bool run_asynchronously = false;  ///< 2.0
  bool interpolates_inputs = false;
  bool event_mode = false;  ///< 3.0, as the next
  bool early_return = false;
  bool intermediate_update = false;
  bool early_return_after_update = false;  ///< canReturnEarlyAfterIntermediateUpdate
  std::optional<double> fixed_step{};      ///< fixedInternalStepSize, seconds
};

/// A capability, and the attribute of 3.0 that says it; that of 2.0, where it has another name.
struct Flag {
  bool Interface::*member;
  const char* name;
  const char* name2 = name;
};
inline constexpr Flag kFlags[] = {
    {&Interface::needs_execution_tool, "needsExecutionTool"},
    {&Interface::once_per_process, "canBeInstantiatedOnlyOncePerProcess"},
    {&Interface::no_memory_functions, "canNotUseMemoryManagementFunctions"},
    {&Interface::get_and_set_state, "canGetAndSetFMUState", "canGetAndSetFMUstate"},
    {&Interface::serialize_state, "canSerializeFMUState", "canSerializeFMUstate"},
    {&Interface::variable_step, "canHandleVariableCommunicationStepSize"},
    {&Interface::run_asynchronously, "canRunAsynchronuously"},
    {&Interface::interpolates_inputs, "canInterpolateInputs"},
    {&Interface::event_mode, "hasEventMode"},
    {&Interface::early_return, "mightReturnEarlyFromDoStep"},
    {&Interface::intermediate_update, "providesIntermediateUpdate"},
    {&Interface::early_return_after_update, "canReturnEarlyAfterIntermediateUpdate"},
};

struct DefaultExperiment {
  std::optional<double> start, stop, tolerance, step;
};

struct Description {
  Version version = Version::fmi3;
  std::string version_text;  ///< "3.0.1"
  std::string model;
  std::string token;  ///< guid, or instantiationToken
  std::string about, tool, model_version;
  std::optional<Interface> co_simulation, model_exchange, scheduled_execution;
  std::vector<UnitDefinition> units;
  std::vector<TypeDefinition> types;
  DefaultExperiment experiment;
  std::vector<Variable> variables;

  const std::optional<Interface>& interface(Execution execution) const {
    return execution == Execution::scheduled ? scheduled_execution : co_simulation;
  }
  const UnitDefinition* find_unit(std::string_view name) const;
  const Variable* find_reference(std::uint32_t reference) const;  ///< 3.0 alone, where they are unique
};

/// Something wrong, or strange, in a description.
struct Finding {
  int line = 0;  ///< line from 1; 0: the whole file
  int column = 0;
  std::string where;  ///< "variable 'speed'"; may be empty
  std::string text;
  bool error = true;  ///< false: the unit can be used

  /// "modelDescription.xml:12:5: variable 'speed': ..."
  std::string message() const;
};

/// Reads a description. Whatever is wrong is added to `findings`, all of it; with an error among them the description
/// is not to be used. Throws nothing but std::bad_alloc. @when setup
Description read_description(std::string_view xml, std::vector<Finding>& findings);

/// Returns true if one of them is an error.
bool has_error(const std::vector<Finding>& findings);

}  // namespace tactus::drivers::fmi
