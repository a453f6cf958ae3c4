// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executive/model/variable.hpp"

namespace tactus::executive {

/// A connection from an output (or state) to an input.
struct Connection {
  VariableRef from;
  VariableRef to;
  /// False: the receiving model's jobs read what was written last, in the same instant if the source ran
  /// before them. True: they read what stood there before the instant began.
  bool delayed = false;
  std::optional<double> scale;  ///< factor: to = from * scale + offset
  std::optional<double> offset;
  /// Ordered by a dependency when the two models are on different scheduled threads; see thread_rules.hpp.
  bool direct = false;
};

/// Explains why two ends do not fit together (roles, types, sizes, units), and how to fix that; nothing when
/// they do. @when setup
std::optional<std::string> validate(const Connection& connection);

/// Returns what writes into any of these elements: "'controller.torque'", "the link"; empty: nothing. `linked`: the inputs
/// of the link. @when setup
std::string feeder_of(const VariableRef& ref, const std::vector<Connection>& connections,
                      const std::vector<VariableRef>& linked);

/// A loop of direct connections, in which no order exists.
struct DirectLoop {
  std::string path;                     ///< "controller -> motor -> controller"
  const Connection* closing = nullptr;  ///< one of its connections
};
/// One for each connection that would have to go to leave none. @when setup
std::vector<DirectLoop> find_direct_loops(const std::vector<Connection>& connections);

/// A copy of eight bytes.
struct WordCopy {
  const void* from;
  void* to;
};

/// Copies of values, made ready at setup and run as a job of its own: run_copies(self = CopyList*).
class CopyList {
 public:
  /// The connection must have no validate(). `from`: read there instead of from the variable itself.
  /// @when setup
  void add(const Connection& connection, const void* from = nullptr);
  bool empty() const { return copies_.empty(); }
  /// All of them, if each is of eight bytes as they are. @when setup
  std::optional<std::vector<WordCopy>> words() const;
  /// A tactus_job_function.                                                                         @when rt
  static int run(void* self, const tactus_call* call);

 private:
  struct Copy {
    void (*copy)(const Copy&) noexcept;
    const void* from;
    void* to;
    std::uint32_t elements;
    std::uint32_t bytes;
    double scale;
    double offset;
    bool plain;  // neither scale nor offset
  };
  template <class From, class To>
  static void convert(const Copy& copy) noexcept;
  static void move_word(const Copy& copy) noexcept;
  static void move_bytes(const Copy& copy) noexcept;

  std::vector<Copy> copies_;
};

}  // namespace tactus::executive
