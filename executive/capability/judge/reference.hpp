// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/unit.hpp"
#include "executive/capability/judge/tube_values.hpp"
#include "executive/driver/record_formats.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// Values of a recording in each frame, from frame 0 on; NaN: it has none there.
using ReferenceValues = std::shared_ptr<const std::vector<double>>;

/// One column of a recording, as values over simulated time.
class Reference {
 public:
  /// Throws std::runtime_error with the reason: it cannot be read, or has no such column, or too long.  @when setup
  Reference(const RecordDriver& driver, const std::filesystem::path& file, const std::string& column);

  const config::Unit& unit() const { return unit_; }

  /// Its value in each frame: real numbers between two records on the line through them, others those of the record
  /// before. After the last record it holds for as long as two records are apart.
  ReferenceValues values(rtsync::Period frame) const;
  /// The least, or the greatest, value that it has at most `reach` before or after each frame.
  ReferenceValues envelope(rtsync::Period frame, rtsync::Nanoseconds reach, bool greatest) const;
  /// Returns false if it has the value of a record until the next one, as whole numbers do.
  bool is_linear() const { return linear_; }
  /// All values that it has at most `reach` before or after each frame, if it is not linear.
  TubeValues values_near(rtsync::Period frame, rtsync::Nanoseconds reach) const;

 private:
  double at(std::int64_t time) const;
  std::size_t frames(rtsync::Period frame) const;

  config::Unit unit_{};
  bool linear_ = true;
  std::vector<std::int64_t> times_;  // ns, ascending
  std::vector<double> values_;
  std::int64_t end_ = 0;  // ns: it has values until then
};

/// The recordings that a test names, each column read once.
///
/// Threads  one thread at setup.
class References {
 public:
  /// `base`: folder of files that a text without a file of its own names.
  explicit References(std::filesystem::path base) : base_(std::move(base)) {}

  /// A column of a file, which is relative to the folder of `written_in`. nullptr: `why`.          @when setup
  const Reference* find(const std::string& file, const std::string& column, const std::string& written_in,
                        std::string& why);
  /// All files that were read, each once.
  std::vector<std::filesystem::path> files() const;

 private:
  std::filesystem::path base_;
  std::map<std::pair<std::string, std::string>, Reference> known_;
};

}  // namespace tactus::executive
