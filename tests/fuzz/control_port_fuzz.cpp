// SPDX-License-Identifier: Apache-2.0
// Requests to the control port: a first line "POST /v1/values", the rest is the body. Whatever they hold,
// each has one reply, and none is a fault of the server.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "drivers/live/http/api.hpp"
#include "drivers/live/http/frame_feed.hpp"
#include "tests/drivers/live/http/support/blocks.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  using namespace drivers::live_http;
  const std::string text(data, data + size);
  const std::size_t line = text.find('\n');
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos || blank > line) return 0;
  Request request{text.substr(0, blank),
                  text.substr(blank + 1, line == std::string::npos ? line : line - blank - 1),
                  {{"Content-Type", "application/json"}, {"If-Match", "\"none\""}},
                  line == std::string::npos ? "" : text.substr(line + 1),
                  "fuzz"};
  test::FakeLiveRig rig;
  test::declare_sample(rig);
  rig.change_facts().file = "/nowhere/at/all/rig.yaml";  // no panels are kept
  rig.set_reports([](executive::LiveReport) { return Json{{"made", true}}; });
  rig.set_traces([](const executive::LiveTraceCall& call) {
    executive::LiveTrace trace;
    trace.frame = call.frame.value_or(0);
    trace.json = {{"made", call.before + call.after}};
    return trace;
  });
  for (const auto list : {executive::LiveList::overruns, executive::LiveList::journal})
    for (int i = 0; i < 3; ++i) rig.history(list).add({{"frame", i}});
  Api api(rig, {});
  int replies = 0;
  (void)api.handle(request, Respond([&](const Respond::Make& make) {
                     ++replies;
                     const Reply reply = make();
                     if (reply.status == 500) throw std::logic_error("a fault: " + text_of(reply.body));
                     (void)text_of(reply.body);
                     if (reply.frames == nullptr) return;
                     for (int frame = 0; frame < 5; ++frame) rig.end_frame(frame);
                     (void)test::blocks_of(reply.frames->next(FrameFeed::Clock::now()));
                     reply.frames->end("enough");
                     (void)test::blocks_of(reply.frames->next(FrameFeed::Clock::now()));
                   }));
  rig.end_frame(0);
  for (const auto& written : rig.take_written()) written.then({true, 0, ""});
  for (const auto& asked : rig.take_episodes()) asked.then({});
  if (replies != 1) throw std::logic_error(std::to_string(replies) + " replies");
  return 0;
}
