// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/changed_files.hpp"

#include <algorithm>

namespace tactus::campaign {
namespace {

bool has_kind(const std::vector<SourceRow>& rows, const std::string& kind) {
  return std::any_of(rows.begin(), rows.end(), [&](const SourceRow& each) { return each.kind == kind; });
}

const SourceRow* find(const std::vector<SourceRow>& rows, const SourceRow& wanted) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const SourceRow& each) {
    return each.kind == wanted.kind && each.file == wanted.file;
  });
  return at == rows.end() ? nullptr : &*at;
}

}  // namespace

std::vector<std::string> changed_files(const std::vector<SourceRow>& then,
                                       const std::vector<SourceRow>& now) {
  std::vector<std::string> all;
  for (const SourceRow& row : now) {
    if (!has_kind(then, row.kind)) continue;
    const SourceRow* const before = find(then, row);
    const std::string what = row.kind + " " + row.file;
    if (before == nullptr)
      all.push_back(what + " is new");
    else if (before->sha256 != row.sha256)
      all.push_back(row.kind == "tactus" ? "tactus was " + before->sha256 + " and is " + row.sha256
                                         : what + " has changed");
  }
  for (const SourceRow& row : then)
    if (has_kind(now, row.kind) && find(now, row) == nullptr)
      all.push_back(row.kind + " " + row.file + " is not used any more");
  return all;
}

}  // namespace tactus::campaign
