// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/frame_feed.hpp"
#include "drivers/live/http/replies.hpp"
#include "drivers/live/http/watched_expression.hpp"
#include "executive/model/suggest.hpp"

// Values behind every frame, as a stream.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

std::vector<std::string> texts_of(const std::vector<Named>& names) {
  std::vector<std::string> texts;
  for (const Named& one : names) texts.push_back(one.name);
  return texts;
}

struct FormatWord {
  const char* name;
  FrameFormat format;
};
constexpr std::array<FormatWord, 3> kFormats = {
    {{"f64", FrameFormat::f64}, {"f32", FrameFormat::f32}, {"exact", FrameFormat::exact}}};

/// The frames of a stream with a name: on from where its last connection was, or from now on.
std::shared_ptr<FrameFeed> named_feed(Api& api, const std::string& name, const std::vector<Named>& names,
                                      FrameFormat format, std::optional<std::int64_t> from,
                                      std::shared_ptr<KeptFrames> kept) {
  std::optional<executive::LiveFrames::Row> behind;
  if (from)
    behind = kept->rewind(*from);
  else
    kept->skip_all();
  auto feed = std::make_shared<FrameFeed>(api.rig(), names, format, from, kept);
  if (behind) {
    // Expressions go on as if the connection had not been lost, as far back as rows are kept.
    std::int64_t past = 0;
    for (const Named& one : names)
      if (one.expression) past = std::max(past, one.expression->past());
    if (past > 0) kept->each_before(past, [&](const auto& row) { feed->remember(row); });
    feed->go_on_behind(*behind);
  }
  api.held_streams().keep(name, texts_of(names), std::move(kept), feed);
  return feed;
}

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
    const auto known = std::ranges::find_if(kFormats, [&](const FormatWord& one) { return *as == one.name; });
    if (known != kFormats.end())
      format = known->format;
    else
      note(problems, "as: " + config::show(*as) + " is none of f64, f32, exact" +
                         executive::did_you_mean(*as, kFormats, &FormatWord::name));
  }
  const std::string* const resume = call.value("resume");
  if (resume != nullptr && !config::is_name(*resume))
    note(problems,
         "resume: " + config::show(*resume) +
             " is not a name of a stream: 1 to 64 letters, digits, '-' and '_', as this client chose it");
  if (!problems.empty()) return reply_now(respond, wrong(problems));
  const RowLayout layout = layout_of(rig, names);
  std::shared_ptr<KeptFrames> kept;
  if (resume != nullptr) kept = api.held_streams().take(*resume, texts_of(names));
  std::unique_ptr<executive::LiveFrames> frames;
  if (kept == nullptr) {
    std::string problem;
    frames = api.follow(layout.refs, problem);
    if (frames == nullptr) return reply_now(respond, refusal(409, problem));
  }
  if (kept == nullptr && resume != nullptr)
    kept = std::make_shared<KeptFrames>(std::move(frames), layout.bytes, rig.facts().frame.floor().count());
  Reply reply{.frames = kept == nullptr
                            ? std::make_shared<FrameFeed>(rig, names, format, from, std::move(frames))
                            : named_feed(api, *resume, names, format, from, std::move(kept))};
  return reply_now(respond, std::move(reply));
}

}  // namespace

std::vector<Route> frame_routes() {
  Route route =
      get("/v1/stream", "stream",
          "Streams the values after every frame as blocks of columns, about 20 times a second; a block "
          "reports frames that a slow reader has lost.",
          text("Blocks of bytes; the page http-api.md of the documentation describes their layout"), &stream,
          {{"names", false, true, text("Variables and expressions, separated by commas; at most 64 columns")},
           {"from", false, false, integer_from(0, "First frame of the stream; default: the next frame")},
           {"resume", false, false,
            text("Name of the stream, chosen by the client. A held stream with this name and the same "
                 "`names` continues at frame `from`. A stream without a name is never held")},
           {"as", false, false,
            text("Format of numbers: f64 (default), f32, or exact (each variable in its own type)")}},
          {409});
  route.bytes = true;
  return {std::move(route)};
}

}  // namespace tactus::drivers::live_http
