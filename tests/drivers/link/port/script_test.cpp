// SPDX-License-Identifier: Apache-2.0
// Every rule as a small script: what comes, and what the inputs are given frame by frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "tests/drivers/link/port/port_fixture.hpp"

namespace tactus::drivers::link::script_test {
namespace {

using executive::LinkVerdict;

/// Frames of 1 ms; subscriptions a (0) and b (1), of one double each. Words of a script:
///   g2       the grants up to step 2 come           a1.5=7  a message for a, of virtual time 1.5 ms, value 7
///   a-=7     one without a stamp                     +20     20 ms pass
///   suspend, blame: somebody is paused, or not        freeze  the rig freezes, and goes on
///   left     the rig is alone
///   >7       a frame; a is given 7                   >7:3    and link.a.source is 3
///   >7!f     and the verdict is freeze; t: terminate; d: it goes on, but unlinked
struct Script {
  const char* why;
  std::function<void(PortFixture&)> settings;
  const char* text;
};

double number(const std::string& text) { return std::stod(text); }
std::int64_t ns(const std::string& ms) { return static_cast<std::int64_t>(std::stod(ms) * 1e6); }

/// A frame of the script; what was not as expected.
std::string play_frame(PortFixture& fixture, const std::string& expected) {
  const LinkVerdict verdict = fixture.run();
  const double value = fixture.input(0);
  const auto source = fixture.value<std::int32_t>("a.source");
  std::ostringstream said;
  said << '>' << value;
  if (expected.find(':') != std::string::npos) said << ':' << source;
  if (verdict == LinkVerdict::freeze) said << "!f";
  if (verdict == LinkVerdict::terminate) said << "!t";
  const bool told = expected.find("!d") != std::string::npos;
  if (told && fixture.exchange->degrade) said << "!d";
  const double shown = fixture.value<double>("a.model.a");
  if (shown != value) said << " but shown as " << shown;
  return said.str();
}

void play(const Script& script) {
  SCOPED_TRACE(std::string(script.why) + ": " + script.text);
  PortFixture fixture;
  fixture.subscribe("a");
  fixture.subscribe("b");
  script.settings(fixture);
  fixture.set_up();
  std::istringstream words(script.text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (word == "suspend" || word == "blame") {
      fixture.exchange->lateness_suspended = word == "suspend";
    } else if (word == "freeze") {
      fixture.port->freeze("a test");
      fixture.clock_ns += 500 * kMs;
      fixture.port->unfreeze();
    } else if (word == "left") {
      fixture.exchange->become(Federation::left);
    } else if (word[0] == 'g') {
      fixture.grant(std::stol(word.substr(1)));
    } else if (word[0] == '+') {
      fixture.clock_ns += ns(word.substr(1));
    } else if (equals != std::string::npos) {
      const std::string stamp = word.substr(1, equals - 1);
      fixture.message(word[0] == 'a' ? 0 : 1, stamp == "-" ? kNoStamp : ns(stamp),
                      {number(word.substr(equals + 1))});
    } else {
      ASSERT_EQ(play_frame(fixture, word), word) << "in frame " << fixture.next_frame - 1;
    }
  }
}

void nothing(PortFixture&) {}
void default_9(PortFixture& fixture) {
  fixture.signals.subscriptions[0].on_late = OnLate::default_value;
  fixture.signals.subscriptions[0].default_block = PortFixture::block({9});
}
void extrapolated(PortFixture& fixture) { fixture.signals.subscriptions[0].on_late = OnLate::extrapolate; }
std::function<void(PortFixture&)> max_late(Action action) {
  return [action](PortFixture& fixture) {
    fixture.settings.max_late = Nanoseconds{3 * kMs};
    fixture.settings.at_maximum = action;
  };
}
std::function<void(PortFixture&)> max_row(Action action) {
  return [action](PortFixture& fixture) {
    fixture.settings.max_consecutive_late = 2;
    fixture.settings.at_maximum = action;
  };
}
std::function<void(PortFixture&)> max_age(AtMaxAge action) {
  return [action](PortFixture& fixture) {
    fixture.signals.subscriptions[0].max_age = Nanoseconds{2 * kMs};
    fixture.signals.subscriptions[0].at_max_age = action;
    fixture.signals.subscriptions[0].default_block = PortFixture::block({9});
  };
}

TEST(PortScript, MessagesAreAppliedAtTheFrameTheyAreMeantFor) {
  const auto next_step_delivery = [](PortFixture& fixture) {
    fixture.settings.delivery = Delivery::next_step;
  };
  const auto follow = [](PortFixture& fixture) { fixture.settings.mode = LinkMode::follow; };
  const auto free = [](PortFixture& fixture) { fixture.settings.mode = LinkMode::free; };
  const Script scripts[] = {
      {"nothing came", nothing, "g9 >0:0 >0:0"},
      {"at its own time", nothing, "g9 a1=5 >0:0 >5:1 >5:1"},
      {"between two frames: at the second", nothing, "g9 a0.5=5 >0 >5"},
      {"of before the first frame", nothing, "g9 a-3=5 >5"},
      {"too late: at the next frame", nothing, "g9 >0 >0 a0=5 >5"},
      {"in the order of stamps, not of arrival", nothing, "g9 a2=6 a1=5 >0 >5 >6"},
      {"two for one frame: the newer one stays", nothing, "g9 a0.4=6 a0.3=5 >0 >6"},
      {"of one stamp: the one that came last", nothing, "g9 a1=6 a1=5 >0 >5"},
      {"without a stamp: at the next frame, before all others", nothing, "g9 a0=5 a-=6 >5 a-=7 >7"},
      {"grant: strictly after its time", next_step_delivery, "g9 a0=5 a1=6 >0 >5 >6"},
      {"grant: of before the first frame", next_step_delivery, "g9 a-1=5 >5"},
      {"grant: came after its own frame, and yet in time", next_step_delivery, "g9 >0 a0=5 >5"},
      {"follow takes in by grant unless told otherwise", follow, "g9 a0=5 >0 >5"},
      {"free: at once, whatever the stamp says", free, "a1000=5 >5 a1=6 >6 a7=7 a6=8 >8"},
  };
  for (const Script& script : scripts) play(script);
}

TEST(PortScript, WhileVirtualTimeIsLateInputsFollowTheirPolicy) {
  const auto alone_default = [](PortFixture& fixture) {
    default_9(fixture);
    fixture.settings.mode = LinkMode::free;
  };
  const auto in_range = [](PortFixture& fixture) {
    extrapolated(fixture);
    fixture.signals.subscriptions[0].layout.elements[0].high = 4.5;
    fixture.signals.subscriptions[0].layout.elements[0].low = -4.5;
  };
  const auto no_default = [](PortFixture& fixture) {
    fixture.signals.subscriptions[0].on_late = OnLate::default_value;
  };
  const Script scripts[] = {
      {"hold keeps", nothing, "g0 a0=5 >5:1 >5:2 >5:2 g3 >5:1"},
      {"hold of nothing is nothing", nothing, "g0 >0:0 >0:0 g2 a2=5 >5:1"},
      {"hold: messages are applied all the same", nothing, "g0 a0=5 a1=6 >5:1 >6:2"},
      {"default until the grant comes, then the last message", default_9, "g0 a0=5 >5:1 >9:3 >9:3 g3 >5:1"},
      {"default: a message of meanwhile is there afterwards", default_9, "g0 a0=5 >5 a1=6 >9:3 g2 >6:1"},
      {"default before the first message, then what was there", default_9, "g0 >0:0 >9:3 g2 >0:0"},
      {"default that is not there: hold", no_default, "g0 a0=5 >5:1 >5:2"},
      {"a straight line through the last two", extrapolated, "g1 a0=1 a1=2 >1:1 >2:1 >3:4 >4:4 g4 >2:1"},
      {"by their stamps, not by their frames", extrapolated, "g1 a0=1 a0.5=2 >1:1 >2:1 >5:4"},
      {"one message makes no line", extrapolated, "g0 a0=1 >1:1 >1:2"},
      {"two of one stamp make none either", extrapolated, "g0 a0=1 a0=2 >2:1 >2:2"},
      {"one that came late is a point of the line", extrapolated, "g2 a0=1 >1 a2=3 >1 >3 a1=4 >2:4"},
      {"older than both: no point", extrapolated, "g2 a0=1 a1=2 >1 >2 >2 a-5=7 >4:4"},
      {"a new message moves the line", extrapolated, "g1 a0=1 a1=2 >1 >2 >3:4 a3=9 >9:4 >12.5:4"},
      {"not past the declared range", in_range, "g1 a0=1 a1=2 >1 >2 >3:4 >4:4 >4.5:4 >4.5:4"},
      {"overflow: hold", extrapolated, "g1 a0=-1.7e308 a1=1.7e308 >-1.7e+308 >1.7e+308 >1.7e+308:2"},
      {"alone: for good", default_9, "g0 a0=5 >5:1 left >9:3 >9:3 g9 >9:3"},
      {"alone: hold", nothing, "g0 a0=5 >5:1 left >5:2 >5:2"},
      {"alone: the line goes on", extrapolated, "g1 a0=1 a1=2 >1:1 >2:1 left >3:4 >4:4"},
      {"alone without virtual time", alone_default, "a0=5 >5:1 >5:1 left >9:3"},
  };
  for (const Script& script : scripts) play(script);
}

TEST(PortScript, WhenTheMaximumIsReachedItsActionFollows) {
  const auto both = [](PortFixture& fixture) {
    max_late(Action::freeze)(fixture);
    fixture.signals.subscriptions[0].max_age = Nanoseconds{3 * kMs};
    fixture.signals.subscriptions[0].at_max_age = AtMaxAge::terminate;
  };
  const auto follow = [](PortFixture& fixture) {
    max_row(Action::terminate)(fixture);
    fixture.settings.mode = LinkMode::follow;
  };
  const auto steps_of_two = [](PortFixture& fixture) {
    max_row(Action::terminate)(fixture);
    fixture.settings.step = rtsync::Period{2 * kMs, 1};
  };
  const Script scripts[] = {
      {"late from the StepBegin on, 3 ms later it is too late", max_late(Action::terminate),
       "g0 >0 >0 >0 >0 >0!t"},
      {"freeze", max_late(Action::freeze), "g0 >0 >0 >0 >0 >0!f"},
      {"in time again", max_late(Action::terminate), "g0 >0 >0 >0 g1 >0 g2 >0 g5 >0"},
      {"each grant has a time of its own", max_late(Action::terminate), "g0 >0 >0 >0 g1 >0 >0 >0!t"},
      {"one that has come, but too late", max_late(Action::terminate), "g0 >0 >0 +5 g2 >0!t"},
      {"degrade, once, and never again", max_late(Action::degrade),
       "g0 >0 >0 >0 >0 >0!d +500 >0 >0 g9 >0 >0"},
      {"after a freeze lateness starts anew", max_late(Action::freeze),
       "g0 >0 >0 >0 >0 >0!f freeze >0 >0 >0 >0 +97 >0 >0 >0!f freeze g9 >0"},
      {"the second late one in a row", max_row(Action::terminate), "g0 >0 >0 >0!t"},
      {"one in time between", max_row(Action::terminate), "g0 >0 >0 g2 >0 >0 g4 >0 >0 >0!t"},
      {"in a row: freeze, and anew", max_row(Action::freeze), "g0 >0 >0 >0!f freeze >0 >0 >0 +98 >0 >0!f"},
      {"in a row: degrade", max_row(Action::degrade), "g0 >0 >0 >0!d >0 >0"},
      {"a step is late once, whatever its frames", steps_of_two, "g0 >0 >0 >0 >0 >0!t"},
      {"suspended: nobody is late", max_late(Action::terminate), "g0 >0 suspend >0 >0 >0 >0 >0 +99 >0"},
      {"suspended until virtual time has caught up", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 >0 >0 >0 blame >0 >0 g6 >0 g10 >0 >0 >0 >0 >0 >0!t"},
      {"suspended: no row", max_row(Action::terminate), "g0 >0 >0 suspend >0 >0 blame g5 >0 >0 >0 >0!t"},
      {"terminate wins over freeze", both, "g0 a0=1 >1 >1 >1 >1 +1 >1!t"},
      {"who follows is never late", follow, "g0 >0 >0 >0 >0"},
      {"who is alone neither", max_late(Action::terminate), "g0 >0 left >0 >0 +99 >0 >0"},
  };
  for (const Script& script : scripts) play(script);
}

TEST(PortScript, APardonAfterAPauseIsNotForEver) {
  const Script scripts[] = {
      {"100 ms to go on, then it is late", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 blame >0 >0 +97 >0 >0 >0 >0 >0!t"},
      {"it goes on, and hangs", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 >0 >0 >0 blame >0 g1 >0 >0 >0 >0!t"},
      {"it catches up, and takes its time", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 >0 >0 >0 blame >0 g1 >0 g2 >0 >0 g3 >0 g4 >0 >0 g5 >0 >0 g6 >0"},
      {"one that has come, but long after the one before", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 >0 >0 >0 blame >0 g1 >0 +5 g2 >0!t"},
      {"the first one may come late", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 >0 >0 >0 blame >0 +90 g1 >0 >0 >0 >0!t"},
      {"unless it is too late", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 >0 >0 >0 blame >0 +150 g1 >0!t"},
      {"a row of steps without progress", max_row(Action::terminate),
       "g0 >0 suspend >0 >0 blame >0 g1 >0 >0 >0!t"},
      {"a row that is broken by progress", max_row(Action::terminate),
       "g0 >0 suspend >0 >0 blame >0 g1 >0 >0 g2 >0 >0 g3 >0 >0 g4 >0 >0 >0!t"},
      {"nobody goes on, and nothing is counted twice", max_row(Action::terminate),
       "g0 >0 suspend >0 >0 blame >0 +99 >0 >0!t"},
      {"caught up: as ever", max_late(Action::terminate),
       "g0 >0 suspend >0 >0 >0 blame >0 g1 >0 g7 >0 >0 >0 >0 >0 >0!t"},
      {"a second pause in the first one's grace period", max_late(Action::terminate),
       "g0 >0 suspend >0 blame >0 g1 >0 suspend +500 >0 >0 blame >0 +90 >0 +8 >0 >0 >0 >0!t"},
  };
  for (const Script& script : scripts) play(script);
}

TEST(PortScript, AStepOfSeveralFramesTakesWhatWasStampedBeforeIt) {
  const auto steps_of_two = [](PortFixture& fixture) {
    fixture.settings.delivery = Delivery::next_step;
    fixture.settings.step = rtsync::Period{2 * kMs, 1};
  };
  const auto by_stamp = [](PortFixture& fixture) { fixture.settings.step = rtsync::Period{2 * kMs, 1}; };
  const Script scripts[] = {
      {"grant: of the step's beginning, there before it", steps_of_two, "g9 a2=5 >0 >0 >0 >0 >5 >5"},
      {"grant: and there in the midst of it", steps_of_two, "g9 >0 >0 >0 a2=5 >0 >5 >5"},
      {"grant: of the step before", steps_of_two, "g9 a1.9=5 >0 >0 >5 >5"},
      {"grant: late in the midst of a step", steps_of_two, "g9 >0 >0 >0 a1.9=5 >5 >5"},
      {"stamp: every frame has its time", by_stamp, "g9 a1=4 a2=5 >0 >4 >5 >5"},
  };
  for (const Script& script : scripts) play(script);
}

TEST(PortScript, DataThatAreTooOldLeadToTheirAction) {
  const auto degrade_wins_less = [](PortFixture& fixture) {
    max_age(AtMaxAge::degrade)(fixture);
    fixture.signals.subscriptions[1].max_age = Nanoseconds{2 * kMs};
    fixture.signals.subscriptions[1].at_max_age = AtMaxAge::freeze;
  };
  const auto line_or_hold = [](PortFixture& fixture) {
    max_age(AtMaxAge::hold)(fixture);
    extrapolated(fixture);
  };
  const auto free = [](PortFixture& fixture) {
    max_age(AtMaxAge::freeze)(fixture);
    fixture.settings.mode = LinkMode::free;
  };
  const auto line_or_default = [](PortFixture& fixture) {
    max_age(AtMaxAge::default_value)(fixture);
    extrapolated(fixture);
  };
  const Script scripts[] = {
      {"hold only counts", max_age(AtMaxAge::hold), "g99 a0=5 >5:1 >5:1 >5:1 >5:1 >5:1"},
      {"default until the next message", max_age(AtMaxAge::default_value),
       "g99 a0=5 >5 >5 >5 >9:3 >9:3 a5=6 >6:1"},
      {"before the first message it counts from the start", max_age(AtMaxAge::default_value),
       "g99 >0 >0 >0 >9:3 a4=1 >1:1"},
      {"freeze, once", max_age(AtMaxAge::freeze), "g99 a0=5 >5 >5 >5 >5!f >5 >5 a6=6 >6 >6 >6 >6!f >6"},
      {"terminate", max_age(AtMaxAge::terminate), "g99 a0=5 >5 >5 >5 >5!t"},
      {"degrade", max_age(AtMaxAge::degrade), "g99 a0=5 >5 >5 >5 >5!d >5:2"},
      {"a message that is too old itself changes nothing", max_age(AtMaxAge::default_value),
       "g99 a0=5 >5 >5 >5 >9 a1=6 >9:3 a5=7 >7:1"},
      {"without a stamp it is as old as its frame", max_age(AtMaxAge::default_value),
       "g99 >0 >0 a-=5 >5 >5 >5 >9:3"},
      {"freeze wins over degrade", degrade_wins_less, "g99 a0=5 b0=5 >5 >5 >5 >5!f"},
      {"too old wins over the line", line_or_default, "g1 a0=1 a1=2 >1 >2 >3:4 >4:4 >9:3 g9 >9:3"},
      {"hold ends the line", line_or_hold, "g1 a0=1 a1=2 >1 >2 >3:4 >4:4 >2:2 >2:2 a5=7 a6=8 >8:4 >9:4"},
      {"who is alone ends nothing", max_age(AtMaxAge::terminate), "g99 a0=5 >5 left >5 >5 >5 >5 >5"},
      {"alone: the default all the same", max_age(AtMaxAge::default_value),
       "g99 a0=5 >5 left >5:2 >5:2 >9:3"},
      {"alone: the line ends all the same", line_or_hold, "g1 a0=1 a1=2 >1 >2 left >3:4 >4:4 >2:2"},
      {"suspended: the default all the same", max_age(AtMaxAge::default_value),
       "g99 a0=5 suspend >5 >5 >5 >9:3"},
      {"suspended, and then still too old", max_age(AtMaxAge::freeze),
       "g99 a0=5 >5 suspend >5 >5 >5 >5 blame >5 +98 >5 >5!f >5"},
      {"suspended, and then there again", max_age(AtMaxAge::freeze),
       "g99 a0=5 >5 suspend >5 >5 >5 >5 blame >5 a6=6 >6 +98 >6 >6 >6!f"},
      {"suspended, and free", free, "a-=5 >5 suspend >5 >5 >5 >5 blame >5 +98 >5 >5!f >5"},
      {"as long as virtual time catches up, no longer", max_age(AtMaxAge::freeze),
       "g0 a0=5 >5 suspend >5 >5 >5 >5 blame >5 +98 g1 >5 +98 >5 >5!f >5"},
      {"caught up, and still too old", max_age(AtMaxAge::freeze),
       "g0 a0=5 >5 suspend >5 >5 >5 >5 blame >5 g6 >5 >5!f"},
      {"after a freeze as well", max_age(AtMaxAge::freeze), "g99 a0=5 >5 >5 >5 freeze >5 >5 +97 >5 >5!f"},
  };
  for (const Script& script : scripts) play(script);
}

}  // namespace
}  // namespace tactus::drivers::link::script_test
