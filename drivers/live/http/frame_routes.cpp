#include <array>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/frame_feed.hpp"
#include "drivers/live/http/replies.hpp"
#include "executive/model/suggest.hpp"

// Values behind every frame, as a stream.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

struct FormatWord {
  const char* name;
  FrameFormat format;
};
constexpr std::array<FormatWord, 3> kFormats = {
    {{"f64", FrameFormat::f64}, {"f32", FrameFormat::f32}, {"exact", FrameFormat::exact}}};

Waits stream(Api& api, const Call& call, const Respond& respond) {
  executive::LiveRig& rig = api.rig();
  std::vector<std::string> problems;
  const std::vector<Named> names = names_of(rig, call, problems);
  if (const std::size_t columns = FrameFeed::columns_of(names); columns > FrameFeed::kMostColumns)
    note(problems, "names: " + std::to_string(columns) +
                       " columns (each element of an array is one); at most " +
                       std::to_string(FrameFeed::kMostColumns) + " are streamed");
  std::optional<std::int64_t> from;
  if (const std::string* const text = call.value("from")) {
    from = *config::parse_integer(*text).value;
    if (*from >= rig.facts().frames)
      note(problems, "from: frame " + *text + " is never run: the run ends after frame " +
                         std::to_string(rig.facts().frames - 1));
  }
  FrameFormat format = FrameFormat::f64;
  if (const std::string* const as = call.value("as")) {
    const auto known = std::find_if(kFormats.begin(), kFormats.end(),
                                    [&](const FormatWord& one) { return *as == one.name; });
    if (known != kFormats.end())
      format = known->format;
    else
      note(problems, "as: " + config::show(*as) + " is none of f64, f32, exact" +
                         executive::did_you_mean(*as, kFormats, &FormatWord::name));
  }
  if (!problems.empty()) return reply_now(respond, wrong(problems));
  std::vector<executive::LiveRef> refs;
  for (const Named& one : names) refs.push_back(one.ref);
  std::string problem;
  auto frames = rig.follow(refs, problem);
  if (frames == nullptr) return reply_now(respond, refusal(409, problem));
  Reply reply;
  reply.frames = std::make_shared<FrameFeed>(rig, names, format, from, std::move(frames));
  return reply_now(respond, std::move(reply));
}

}  // namespace

std::vector<Route> frame_routes() {
  Route route = get(
      "/v1/stream", "stream",
      "Values behind every frame, as blocks of columns some 20 times a second; frames that a slow reader has "
      "lost are named.",
      text("blocks of bytes; docs/control-port.md has their layout"), &stream,
      {{"names", false, true, text("variables, with a comma between two; at most 64 columns")},
       {"from", false, false, integer_from(0, "the first frame that is wanted; without: the next one")},
       {"as", false, false, text("how numbers are written: f64, f32, or exact (each in its own type)")}},
      {409});
  route.bytes = true;
  return {std::move(route)};
}

}  // namespace tactus::drivers::live_http
