// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/campaign/page/results.hpp"

namespace tactus::campaign {

/// Heads of the columns of a table: number, verdict, each column of the results with its unit in braces as recordings have
/// it, then seconds, attempt, version, says.
std::vector<std::string> table_heads(const Results& results);
/// The cells of a case.
std::vector<std::string> table_cells(const Results& results, const ResultRow& row);
/// Joins cells as comma-separated values (RFC 4180).
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace tactus::campaign
