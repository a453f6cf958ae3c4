// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.hpp"
#include "executive/client/port_address.hpp"

namespace tactus::client {

/// Facts of a variable, as /v1/variables has them.
struct VariableFacts {
  std::string name;
  std::string unit;
  std::string role{};
  bool number = true;  ///< a single one
};

/// A rig whose control port answers.
struct FoundRig {
  PortAddress address;
  std::string token;
  std::string rig{};
  std::int64_t period_ns = 1'000'000;
};

/// The text, or the whole number, that an object has there; otherwise nothing, or `otherwise`.
std::string text_in(const config::Json& json, const char* key);
std::int64_t number_in(const config::Json& json, const char* key, std::int64_t otherwise);

/// Finds the rig there, by a request. Throws NoRigError.                                        @when service
FoundRig find_rig(const std::string& where, const std::string& token_file);
/// Tells an expression (docs/expressions.md) from a name or a pattern of names: it has blanks, brackets or operators.
bool looks_like_expression(std::string_view text);
/// Joins names by commas, encoded: as many in each text as one request holds.
std::vector<std::string> lists_of_names(const std::vector<std::string>& names);
/// Variables by name or by pattern, and expressions, each once, in the order asked for. Throws NoRigError with the
/// rig's hint for one that is not there, or with the mistakes of an expression.
std::vector<VariableFacts> find_variables(const FoundRig& rig, const std::vector<std::string>& names,
                                          std::size_t most, std::size_t& left_out);

/// Receiver of samples.
struct SampleSink {
  /// Values of one frame, in the order of the names.
  std::function<void(std::int64_t frame, const std::vector<double>& values)> values;
  /// Frames that are missing, or time went elsewhere (`anew`).
  std::function<void(std::int64_t missing, bool anew)> gap;
  std::function<void(const std::string& reason)> end;
};

/// Single numbers at frame rate where the rig has /v1/stream, else as fast as /v1/watch hands them out.
class Samples {
 public:
  /// Throws NoRigError. At most 64 names.                                                       @when service
  Samples(const FoundRig& rig, const std::vector<std::string>& names);
  ~Samples();

  bool every_frame() const;
  /// Waits at most for this time, and gives what came. False: it is over. Throws NoRigError.
  bool wait(int milliseconds, const SampleSink& sink);

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace tactus::client
