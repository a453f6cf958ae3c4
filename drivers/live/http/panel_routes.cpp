// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/panels.hpp"
#include "drivers/live/http/replies.hpp"

// The desks that users arrange on the page.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

constexpr const char* kNoFile =
    "the rig was not loaded from a file, so there is none beside it where panels could be kept";

Reply with_tag(Reply reply, const std::string& tag) {
  reply.headers.emplace_back("ETag", tag);
  reply.headers.emplace_back("Cache-Control", "no-cache");
  return reply;
}

Json panels_json(const PanelFile& file, const Json& panels, const std::vector<std::string>& problems) {
  return {{"file", file.name()}, {"panels", panels}, {"problems", problems}};
}

Waits show_panels(Api& api, const Call& call, const Respond& respond) {
  const auto path = PanelFile::beside(api.rig().facts().file);
  if (path.empty()) return reply_now(respond, refusal(409, kNoFile));
  const PanelFile file(path);
  const PanelFile::Contents contents = file.read();
  if (!contents.problems.empty())
    return reply_now(respond, with_tag(failed(409, contents.problems, ""), contents.tag));
  if (call.if_none_match && has_tag(*call.if_none_match, contents.tag)) {
    Reply same{.status = 304, .bytes = std::make_shared<const std::string>()};
    return reply_now(respond, with_tag(std::move(same), contents.tag));
  }
  std::vector<std::string> problems;
  check_panels({{"panels", contents.panels}}, api.rig(), problems);
  return reply_now(respond, with_tag(good(panels_json(file, contents.panels, problems)), contents.tag));
}

Waits keep_panels(Api& api, const Call& call, const Respond& respond) {
  const auto path = PanelFile::beside(api.rig().facts().file);
  if (path.empty()) return reply_now(respond, refusal(409, kNoFile));
  if (!call.if_match)
    return reply_now(respond,
                     refusal(428,
                             "the header 'If-Match' is missing: send the ETag of what you have read, so "
                             "that no change is lost"));
  std::vector<std::string> problems;
  check_panels(call.body, api.rig(), problems);
  if (!problems.empty()) return reply_now(respond, not_done(400, problems));
  const PanelFile file(path);
  const PanelFile::Contents before = file.read();
  if (!(*call.if_match == "*" ? before.tag != "\"none\"" : has_tag(*call.if_match, before.tag)))
    return reply_now(respond, with_tag(refusal(412, "another client has changed " + file.name() +
                                                        " since you have read it; read it again"),
                                       before.tag));
  if (const std::string why = file.write(call.body["panels"]); !why.empty())
    return reply_now(respond, with_tag(refusal(409, why), before.tag));
  const PanelFile::Contents now = file.read();
  return reply_now(respond, with_tag(good(panels_json(file, now.panels, {})), now.tag));
}

Schema panels_answer() {
  Schema answer = panels_schema();
  answer.properties.insert(
      answer.properties.begin(),
      must("file", text("Name of the panel file beside the rig file; its path if it is kept elsewhere")));
  answer.properties.push_back(must(
      "problems",
      list("Parts of the file that do not fit the rig, such as a variable that it does not have", text(""))));
  return answer;
}

}  // namespace

std::vector<Route> panel_routes() {
  Route put =
      post("/v1/panels", "write_panels",
           "Writes the desks, unless another client has changed them since they were read (If-Match).",
           panels_schema(),
           R"({"panels": {"desk": [{"kind": "knob", "variable": "motor.speed", "at": [0, 0, 3, 3]}]}})",
           panels_answer(), &keep_panels, {409, 412, 428});
  put.method = "PUT";
  return {get("/v1/panels", "panels", "Returns the desks that users have arranged, with an ETag.",
              panels_answer(), &show_panels, {}, {304, 409}),
          std::move(put)};
}

}  // namespace tactus::drivers::live_http
