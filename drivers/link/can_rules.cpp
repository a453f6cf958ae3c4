// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_rules.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace tactus::drivers::link {
namespace {

/// Returns why it cannot be read; empty: it can.
std::string read_id(std::string_view text, std::uint32_t& id, bool& extended) {
  const std::string shown(text);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  const bool says_extended = text.ends_with('x');
  if (says_extended) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id, is_hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || id > kMostExtendedId)
    return "'" + shown + "' is not an identifier; write one as 0x100, up to 0x1FFFFFFF";
  extended = says_extended || id > kMostStandardId;
  return "";
}

}  // namespace

std::string read_can_ids(const std::string& text, CanIds& to) {
  const std::size_t dash = text.find('-'), dots = text.find("..");
  const std::size_t between = std::min(dash, dots);
  if (std::string wrong = read_id(std::string_view(text).substr(0, between), to.first, to.extended);
      !wrong.empty())
    return wrong;
  to.last = to.first;
  if (between == std::string::npos) return "";
  const std::size_t second = between + (between == dots ? 2 : 1);
  bool extended = false;
  if (std::string wrong = read_id(std::string_view(text).substr(second), to.last, extended); !wrong.empty())
    return wrong;
  if (extended && !to.extended)
    return "'" + text +
           "' goes from 11 to 29 bits; write a range for each, that of 29 bits with an x after the first "
           "one: "
           "0x0x-0x1FFFFFFF";
  if (to.last < to.first) return "'" + text + "' has its last identifier before the first; exchange them";
  return "";
}

void CanRules::let_all() { all_ = true; }
void CanRules::refuse_all() {
  refuse({0, kMostStandardId, false});
  refuse({0, kMostExtendedId, true});
}
void CanRules::let(const CanIds& ids) { add(ids, standard_, extended_); }
void CanRules::refuse(const CanIds& ids) { add(ids, refused_, extended_refused_); }

bool CanRules::has(const std::vector<CanIds>& sorted, std::uint32_t id) TACTUS_RT {
  const auto after = std::ranges::upper_bound(sorted, id, {}, &CanIds::first);
  return after != sorted.begin() && id <= (after - 1)->last;
}

void CanRules::add(const CanIds& ids, Standard& standard, std::vector<CanIds>& extended) {
  if (!ids.extended) {
    for (std::uint32_t id = ids.first; id <= ids.last; ++id) standard.set(id);
    return;
  }
  // Those that touch it become one with it.
  CanIds whole = ids;
  std::erase_if(extended, [&](const CanIds& each) {
    if (each.last < whole.first || each.first > whole.last) return false;
    whole.first = std::min(whole.first, each.first);
    whole.last = std::max(whole.last, each.last);
    return true;
  });
  extended.insert(std::ranges::upper_bound(extended, whole.first, {}, &CanIds::first), whole);
}

}  // namespace tactus::drivers::link
