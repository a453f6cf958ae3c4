// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/fields.hpp"

namespace tactus::executive {

/// A driver whose keys are a table of fields: `Table` is the function that answers with it.
///
///     const config::Fields<CsvSettings>& csv_fields();
///     class Csv final : public DriverWithFields<RecordDriver, csv_fields> { ... };
template <class Seam, auto Table>
class DriverWithFields : public Seam {
 public:
  std::shared_ptr<const config::Section> section() const final { return Table().shared_section(); }

 protected:
  /// The settings of a section; nothing when some are wrong, which is added to `problems`. @when setup
  static auto load(const config::Node& settings, const std::string& path, config::Problems& problems) {
    const std::size_t before = problems.count();
    auto read = Table().load(settings, path, problems);
    return problems.count() > before ? std::nullopt : std::optional(std::move(read));
  }
};

}  // namespace tactus::executive
