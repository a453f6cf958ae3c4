// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "executive/capability/judge/compiled_test.hpp"
#include "executive/capability/judge/reference.hpp"

namespace tactus::executive {

/// Values of a recording that an Expression means, in its `exponent`.
enum class ReferencePart : int { value = 0, least = -1, greatest = 1 };

/// Gives the names of a test their meaning: variables of the rig, recordings, and the events before a place.
///
/// Threads  one thread at setup.
class TestNames final : public config::ExpressionNames {
 public:
  /// `frames`: of the run that is planned.
  TestNames(const VariableNames::LookUp& look_up, rtsync::Period frame, std::int64_t frames,
            const std::filesystem::path& base)
      : variables_(look_up), frame_(frame), frames_(frames), references_(base) {}

  std::optional<Found> find(const std::string& name, std::string& why) const override;
  std::optional<Found> find_recording(const config::Expression& recording, const std::string& value,
                                      std::string& why) const override;

  void add_event(const std::string& name, std::uint32_t cell) { events_[name] = cell; }
  /// An event that has mistakes of its own: what names it is not complained of.
  void add_broken(const std::string& name) { broken_.insert(name); }
  /// Sets the file in which what follows is written, and the reach of envelopes of recordings.
  /// `shift`: frames by which a recording may be shifted.
  void set_place(const std::string& file, rtsync::Nanoseconds reach, std::int64_t shift = 0) {
    file_ = file;
    shift_ = shift;
    reach_ = reach;
  }
  /// A column of a recording that was found before.
  const Reference* reference(const std::string& file, const std::string& column) const {
    std::string unused;
    return references_.find(file, column, file_, unused);
  }
  /// The values of a key of ProgramInput.
  TestInput input(std::uint32_t key) const;
  const std::vector<VariableRef>& variables() const { return variables_.variables(); }
  std::vector<std::filesystem::path> recordings() const { return references_.files(); }

 private:
  VariableNames variables_;
  rtsync::Period frame_;
  std::int64_t frames_;
  mutable References references_;
  std::map<std::string, std::uint32_t> events_;
  std::set<std::string> broken_;
  std::string file_;
  rtsync::Nanoseconds reach_{0};
  std::int64_t shift_ = 0;
  mutable std::vector<std::pair<std::string, ReferenceValues>> read_;  // by what they are
};

/// Writes a condition so that the value of a recording is the nearest one of its envelope:
/// max(least, min(x, greatest)).
void take_envelope(config::Expression& within);

}  // namespace tactus::executive
