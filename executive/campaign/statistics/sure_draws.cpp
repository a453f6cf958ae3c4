// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/statistics/sure_draws.hpp"

namespace tactus::campaign {

void SureDraws::take(std::int64_t number, Judged judged) {
  Draw& draw = draws_[number / cases_a_draw_];
  ++draw.cases;
  draw.passed += judged == Judged::pass ? 1 : 0;
  draw.failed += judged == Judged::fail ? 1 : 0;
  draw.left_out += judged == Judged::left_out ? 1 : 0;
  for (auto first = draws_.begin();
       first != draws_.end() && first->first == next_ && first->second.cases == cases_a_draw_;
       first = draws_.erase(first), ++next_)
    count(first->second);
}

void SureDraws::count(const Draw& draw) {
  const bool passes = draw.passed > 0 && draw.passed + draw.left_out == draw.cases;
  if (!passes && draw.failed == 0) return;
  counted_.take(passes, rule_);
  enough_ = rule_.enough(counted_.passed, counted_.of);
}

}  // namespace tactus::campaign
