// SPDX-License-Identifier: Apache-2.0
// The port against a slow and simple reference, and against itself with the same messages handed over
// otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "tests/drivers/link/port/port_fixture.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::drivers::link::random_test {
namespace {

using executive::LinkVerdict;

struct Random {
  std::mt19937 engine;
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(engine() % static_cast<unsigned>(limit));
  }
  bool chance(int percent) { return below(100) < percent; }
};

/// The rules, written down as directly as they are said.
class Reference {
 public:
  struct Subscribed {
    double value = 0;
    std::map<std::int64_t, double> points;  // by stamp
    std::int64_t newest = 0, age = 0, messages = 0;
    bool too_old = false, complained = false;
    double given = 0;
    int source = 0;
  };

  explicit Reference(const PortFixture& fixture, std::int64_t first, std::int64_t first_virtual)
      : fixture_(fixture),
        first_(first),
        subs(fixture.signals.subscriptions.size()),
        first_virtual_(first_virtual) {
    for (Subscribed& sub : subs) sub.newest = first_virtual;
  }

  void message(std::uint32_t sub, std::int64_t stamp, double value) {
    if (fixture_.settings.mode == LinkMode::free) stamp = kNoStamp;
    waiting_[{stamp, sub, arrivals_++}] = value;
  }
  void grant(std::int64_t step, std::int64_t now) {
    for (; granted_ < step; ++granted_) came_[granted_ + 1] = now;
  }

  void unfreeze() {
    grace_ = GracePhase::begins;
    granted_before_ = granted_;
  }

  LinkVerdict frame(std::int64_t k, std::int64_t now) {
    const std::int64_t m = frames_per_step(fixture_.settings, fixture_.frame);
    const std::int64_t step = (k - first_) / m;
    const bool first_of_step = (k - first_) % m == 0;
    const bool alone = left || degraded;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      const auto [stamp, sub, arrival] = it->first;
      if (due_frame(stamp, k) > k) break;
      Subscribed& to = subs[sub];
      const std::int64_t at = stamp == kNoStamp ? virtual_of(k) : stamp;
      to.value = it->second;
      to.newest = to.messages == 0 ? at : std::max(to.newest, at);
      to.points[at] = it->second;
      ++to.messages;
      ++messages;
      if (stamp != kNoStamp && due_frame(stamp, k) < k) ++messages_late;
      it = waiting_.erase(it);
    }
    while (std::ssize(waiting_) > fixture_.settings.queue) {
      waiting_.erase(std::prev(waiting_.end()));
      ++lost;
    }

    int action = 0;  // 1 degrade, 2 freeze, 3 terminate
    const bool timed = fixture_.settings.mode != LinkMode::free;
    const bool missing = timed && !alone && granted_ < step;
    lateness = behind = 0;
    const bool lenient = !alone && update_grace(now);
    if (timed && !alone) {
      if (first_of_step) due_[step] = now;
      const bool progress = granted_ > granted_at_step_;
      if (first_of_step) granted_at_step_ = granted_;
      std::int64_t worst = 0;
      const auto since = [&](std::int64_t s) {
        const std::int64_t due = std::max(due_[s], waited_until_);
        return grace_ == GracePhase::catching_up && s > 0 ? std::max(due, came_[s - 1]) : due;
      };
      for (; assessed_ < std::min(granted_, step); ++assessed_)
        worst = std::max(worst, came_[assessed_ + 1] - since(assessed_ + 1));
      if (missing) behind = step - granted_;
      if (grace_ == GracePhase::suspended || grace_ == GracePhase::waiting) {
        consecutive = 0;
      } else {
        if (missing) lateness = std::max<std::int64_t>(now - since(granted_ + 1), 0);
        const bool late_step = missing && !(grace_ == GracePhase::catching_up && progress);
        if (!missing) grace_ = GracePhase::none;
        worst = std::max(worst, lateness);
        worst_lateness = std::max(worst_lateness, worst);
        const auto& settings = fixture_.settings;
        const int at_maximum = settings.mode != LinkMode::paced         ? 0
                               : settings.at_maximum == Action::degrade ? 1
                               : settings.at_maximum == Action::freeze  ? 2
                                                                        : 3;
        if (settings.max_late && worst >= settings.max_late->count()) action = at_maximum;
        if (first_of_step) {
          consecutive = late_step ? consecutive + 1 : 0;
          late += late_step;
          if (late_step && settings.max_consecutive_late && consecutive >= *settings.max_consecutive_late)
            action = std::max(action, at_maximum);
        }
      }
    } else if (alone) {
      consecutive = 0;
    }
    for (std::size_t i = 0; i < subs.size(); ++i)
      action = std::max(action, give(subs[i], fixture_.signals.subscriptions[i], virtual_of(k),
                                     missing || alone, alone || lenient));
    if (action == 1) degraded = true;
    return action == 3 ? LinkVerdict::terminate : action == 2 ? LinkVerdict::freeze : LinkVerdict::go_on;
  }

  const PortFixture& fixture_;
  std::int64_t first_;
  std::vector<Subscribed> subs;
  bool suspended = false, left = false, degraded = false;
  std::int64_t messages = 0, messages_late = 0, lost = 0, lateness = 0, behind = 0, consecutive = 0, late = 0,
               worst_lateness = 0, too_old = 0;

 private:
  enum class GracePhase { none, suspended, begins, waiting, catching_up };

  /// Moves the grace period on; whether it goes for ages.
  bool update_grace(std::int64_t now) {
    if (suspended) {
      grace_ = GracePhase::suspended;
      granted_before_ = granted_;
      return true;
    }
    if (grace_ == GracePhase::none) return false;
    if (grace_ == GracePhase::suspended || grace_ == GracePhase::begins) {
      grace_ = GracePhase::waiting;
      since_ = now;
    }
    const std::int64_t limit = since_ + 100 * kMs;
    if (grace_ == GracePhase::waiting && (granted_ > granted_before_ || now >= limit)) {
      waited_until_ = granted_ > granted_before_ ? std::min(limit, came_[granted_before_ + 1]) : limit;
      grace_ = GracePhase::catching_up;
    }
    return now < 100 * kMs + (granted_ > granted_before_ ? std::max(since_, came_[granted_]) : since_);
  }

  int give(Subscribed& sub, const Subscription& as, std::int64_t now, bool late_now, bool unjudged) {
    int action = 0;
    sub.age = now - sub.newest;
    const bool old = as.max_age && sub.age > as.max_age->count();
    too_old += old && !sub.too_old;
    sub.too_old = old;
    if (!old) sub.complained = false;
    if (old && !sub.complained && !unjudged) {
      sub.complained = true;
      action = as.at_max_age == AtMaxAge::degrade     ? 1
               : as.at_max_age == AtMaxAge::freeze    ? 2
               : as.at_max_age == AtMaxAge::terminate ? 3
                                                      : 0;
    }
    sub.given = sub.value;
    sub.source = sub.messages == 0 ? 0 : late_now ? 2 : 1;
    if ((sub.too_old && as.at_max_age == AtMaxAge::default_value) ||
        (late_now && as.on_late == OnLate::default_value)) {
      sub.given = 9;
      sub.source = 3;
    } else if (late_now && as.on_late == OnLate::extrapolate && !(old && as.at_max_age == AtMaxAge::hold) &&
               sub.points.size() > 1) {
      const auto b = std::prev(sub.points.end());
      const auto a = std::prev(b);
      const long double t =
          static_cast<long double>(now - b->first) / static_cast<long double>(b->first - a->first);
      sub.given = static_cast<double>(
          static_cast<long double>(b->second) +
          (static_cast<long double>(b->second) - static_cast<long double>(a->second)) * t);
      sub.source = 4;
    }
    return action;
  }

  std::int64_t virtual_of(std::int64_t k) const {
    return first_virtual_ + fixture_.frame.times(k - first_).count();
  }
  /// The first frame for which a message is meant; only up to `k`, beyond it does not matter.
  std::int64_t due_frame(std::int64_t stamp, std::int64_t k) const {
    if (stamp == kNoStamp) return first_;
    const bool after = delivery_of_fixture() == Delivery::next_step;
    const std::int64_t m = frames_per_step(fixture_.settings, fixture_.frame);
    std::int64_t j = k + 1;
    while (j > first_ &&
           (after ? virtual_of(first_ + (j - 1 - first_) / m * m) > stamp : virtual_of(j - 1) >= stamp))
      --j;
    return j;
  }
  Delivery delivery_of_fixture() const {
    if (fixture_.settings.delivery) return *fixture_.settings.delivery;
    return fixture_.settings.mode == LinkMode::follow ? Delivery::next_step : Delivery::timestamp;
  }

  std::int64_t first_virtual_;
  std::map<std::tuple<std::int64_t, std::uint32_t, std::int64_t>, double> waiting_;
  std::map<std::int64_t, std::int64_t> came_, due_;
  std::int64_t arrivals_ = 0, granted_ = -1, assessed_ = -1, granted_at_step_ = -1;
  GracePhase grace_ = GracePhase::none;
  std::int64_t granted_before_ = -1, since_ = 0, waited_until_ = INT64_MIN;
};

/// What link.* shows of each subscription.
struct Shown {
  const double* value;
  const std::int32_t* source;
  const std::int64_t *age, *messages;
};
std::vector<Shown> shown_of(const PortFixture& fixture) {
  std::vector<Shown> all;
  for (const Subscription& each : fixture.signals.subscriptions)
    all.push_back({static_cast<const double*>(fixture.shown(each.name + ".model." + each.name).data),
                   static_cast<const std::int32_t*>(fixture.shown(each.name + ".source").data),
                   static_cast<const std::int64_t*>(fixture.shown(each.name + ".age").data),
                   static_cast<const std::int64_t*>(fixture.shown(each.name + ".messages").data)});
  return all;
}

void set_up_randomly(PortFixture& fixture, Random& random) {
  LinkSettings& settings = fixture.settings;
  const LinkMode modes[] = {LinkMode::paced, LinkMode::paced, LinkMode::paced, LinkMode::follow,
                            LinkMode::free};
  settings.mode = modes[random.below(5)];
  fixture.frame = random.chance(50) ? rtsync::Period{kMs, 1} : rtsync::Period{kMs, 3};
  const std::int64_t m = std::int64_t{1} << random.below(3);
  settings.step = rtsync::Period{fixture.frame.num() * m, fixture.frame.den()};
  if (random.chance(70)) settings.delivery = random.chance(50) ? Delivery::timestamp : Delivery::next_step;
  settings.queue = 1 + random.below(12);
  if (random.chance(50)) settings.max_late = Nanoseconds{1 + random.below(8 * kMs)};
  if (random.chance(50)) settings.max_consecutive_late = 1 + random.below(6);
  settings.at_maximum = static_cast<Action>(1 + random.below(3));
  for (const char* name : {"a", "b", "c"}) {
    Subscription& made = fixture.subscribe(name);
    made.on_late = static_cast<OnLate>(random.below(3));
    if (random.chance(40)) made.max_age = Nanoseconds{random.below(6 * kMs)};
    made.at_max_age = static_cast<AtMaxAge>(random.below(5));
    made.default_block = PortFixture::block({9});
  }
}

TEST(PortRandom, IsTheSameAsTheReference) {
  for (unsigned seed = 0; seed < static_cast<unsigned>(::tactus::test::trials(4000)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random{std::mt19937(seed)};
    PortFixture fixture;
    set_up_randomly(fixture, random);
    const std::int64_t first = random.chance(50) ? 0 : 17;
    const std::int64_t first_virtual = random.chance(50) ? 0 : 123'456'789;
    fixture.set_up(first, first_virtual, 16);
    const std::vector<Shown> shown = shown_of(fixture);
    Reference reference(fixture, first, first_virtual);
    const auto grant = [&](std::int64_t step) {
      fixture.grant(step);
      reference.grant(step, fixture.clock_ns);
    };
    grant(0);
    const std::int64_t m = frames_per_step(fixture.settings, fixture.frame);
    for (std::int64_t i = 0; i < 60; ++i) {
      for (std::int64_t more = random.below(4); more > 0; --more) {
        const auto sub = static_cast<std::uint32_t>(random.below(3));
        // Some exactly on frames, some between, some of the past and some of the future.
        std::int64_t stamp = first_virtual + fixture.frame.times(i + random.below(9) - 4).count();
        if (random.chance(30)) stamp += random.below(kMs);
        if (random.chance(10)) stamp = kNoStamp;
        const auto value = static_cast<double>(random.below(1000));
        if (fixture.message(sub, stamp, {value})) reference.message(sub, stamp, value);
      }
      if (random.chance(70))
        grant(random.chance(50) ? i / m : std::max(fixture.exchange->granted.load(), i / m - 2));
      if (random.chance(5)) fixture.exchange->lateness_suspended = reference.suspended = !reference.suspended;
      if (random.chance(1) && random.chance(50)) {
        fixture.exchange->become(Federation::left);
        reference.left = true;
      }
      if (random.chance(10)) fixture.clock_ns += random.below(3 * kMs);
      if (random.chance(2)) fixture.clock_ns += random.below(150 * kMs);
      const LinkVerdict expected = reference.frame(first + i, fixture.clock_ns);
      ASSERT_EQ(fixture.run(), expected) << "frame " << i << ": " << fixture.port->verdict_reason();
      for (std::size_t s = 0; s < reference.subs.size(); ++s) {
        const Reference::Subscribed& sub = reference.subs[s];
        ASSERT_EQ(fixture.input(s), sub.given) << "frame " << i << ", subscription " << s;
        ASSERT_EQ(*shown[s].value, sub.given);
        ASSERT_EQ(*shown[s].source, sub.source) << "frame " << i;
        ASSERT_EQ(*shown[s].age, sub.age) << "frame " << i;
        ASSERT_EQ(*shown[s].messages, sub.messages);
      }
      const PortStatus& status = fixture.status();
      ASSERT_EQ(status.messages, reference.messages) << "frame " << i;
      ASSERT_EQ(status.messages_late, reference.messages_late) << "frame " << i;
      ASSERT_EQ(status.lateness_ns, reference.lateness) << "frame " << i;
      ASSERT_EQ(status.behind, reference.behind) << "frame " << i;
      ASSERT_EQ(status.late, reference.late) << "frame " << i;
      ASSERT_EQ(status.consecutive_late, reference.consecutive) << "frame " << i;
      ASSERT_EQ(fixture.exchange->degrade, reference.degraded) << "frame " << i;
      ASSERT_EQ(fixture.port->totals().pending_lost, reference.lost) << "frame " << i;
      ASSERT_EQ(fixture.port->totals().too_old, reference.too_old) << "frame " << i;
      ASSERT_EQ(fixture.port->totals().worst_lateness_ns, reference.worst_lateness) << "frame " << i;
      if (expected == LinkVerdict::terminate) break;
      if (expected == LinkVerdict::freeze || random.chance(3)) {
        fixture.port->freeze("a test");
        fixture.clock_ns += random.below(50 * kMs);
        if (random.chance(30)) grant(i / m);
        fixture.port->unfreeze();
        reference.unfreeze();
      }
    }
    ASSERT_EQ(fixture.port->totals().late, reference.late);
  }
}

/// What a rig with these messages and grants sees, when each arrives at most `early` frames before it is due.
std::vector<double> trace(unsigned seed, unsigned chunking, std::int64_t early) {
  Random random{std::mt19937(seed)};
  PortFixture fixture;
  fixture.settings.delivery = random.chance(50) ? Delivery::timestamp : Delivery::next_step;
  for (const char* name : {"a", "b", "c"}) {
    Subscription& made = fixture.subscribe(name);
    made.on_late = static_cast<OnLate>(random.below(3));
    made.max_age = Nanoseconds{random.below(6 * kMs)};
    made.at_max_age = random.chance(50) ? AtMaxAge::hold : AtMaxAge::default_value;
    made.default_block = PortFixture::block({9});
  }
  constexpr std::int64_t kFrames = 50;
  const std::int64_t m = random.chance(50) ? 1 : 3;
  fixture.settings.step = rtsync::Period{m * kMs, 1};
  fixture.set_up(0, 0, 512);
  struct Sent {
    std::uint32_t sub;
    std::int64_t stamp;
    double value;
  };
  std::vector<Sent> sent;
  for (int i = 0; i < 120; ++i) {
    const std::int64_t frame = random.below(kFrames - 3);
    sent.push_back(
        {static_cast<std::uint32_t>(random.below(3)), frame * kMs - random.below(2) * 1000, double(i)});
  }
  std::vector<bool> granted_in;
  for (std::int64_t i = 0; i < kFrames; ++i) granted_in.push_back(random.chance(70));

  // Where each arrives is up to the other seed; two that are told apart by their arrival alone keep their
  // command.
  Random arrival{std::mt19937(chunking)};
  std::map<std::tuple<std::uint32_t, std::int64_t>, std::int64_t> not_before;
  std::vector<std::vector<Sent>> arriving(kFrames);
  for (const Sent& each : sent) {
    // The frame it is for: the first at or after it, or of the first step after it.
    const std::int64_t last = fixture.settings.delivery == Delivery::timestamp ? (each.stamp + kMs - 1) / kMs
                              : each.stamp < 0                                 ? 0
                                               : (each.stamp / (m * kMs) + 1) * m;
    std::int64_t& earliest = not_before.try_emplace({each.sub, each.stamp}, 0).first->second;
    const std::int64_t from = std::max(earliest, last - early);
    earliest = from + arrival.below(last - from + 1);
    arriving[static_cast<std::size_t>(earliest)].push_back(each);
  }
  std::vector<double> seen;
  const std::vector<Shown> shown = shown_of(fixture);
  fixture.grant(0);
  for (std::int64_t i = 0; i < kFrames; ++i) {
    for (const Sent& each : arriving[static_cast<std::size_t>(i)])
      EXPECT_TRUE(fixture.message(each.sub, each.stamp, {each.value}));
    if (granted_in[static_cast<std::size_t>(i)]) fixture.grant(i / m);
    fixture.run();
    for (std::size_t s = 0; s < 3; ++s) {
      seen.push_back(fixture.input(s));
      seen.push_back(*shown[s].source);
      seen.push_back(static_cast<double>(*shown[s].age));
    }
  }
  EXPECT_EQ(fixture.status().messages, 120);
  EXPECT_EQ(fixture.status().messages_late, 0);
  return seen;
}

TEST(PortRandom, HowEarlyMessagesArriveChangesNothing) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::vector<double> at_the_last_moment = trace(seed, 0, 0);
    for (unsigned chunking = 1; chunking < 6; ++chunking)
      ASSERT_EQ(trace(seed, chunking, 1 << chunking), at_the_last_moment)
          << "seed " << seed << ", " << chunking;
  }
}

}  // namespace
}  // namespace tactus::drivers::link::random_test
