// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/settings.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {
namespace {

std::vector<config::Field<RigSettings>> live_keys() {
  return {rig_key(config::optional("live", &LiveSection::servers,
                                   "servers through which programs see and change the running rig: `http` or "
                                   "`trick`, each with its own keys"))};
}

void make_live_servers(Draft& draft) {
  config::Node& live = draft.settings.of<LiveSection>().servers;
  if (live.is_null()) return;
  if (!live.is_map())
    return draft.problems.add(
        live.place(), "live",
        std::string("is ") + config::kind_name(live.kind()) +
            "; a map of servers is expected: live: { http: { listen: 127.0.0.1:8086 } }");
  std::vector<config::Node::Entry> resolved;
  for (const config::Node::Entry& entry : live.entries()) {
    const std::string path = "live." + entry.key;
    const auto library = draft.load_driver("live", {entry.key, entry.place, path});
    if (library == nullptr) continue;
    const config::Node section =
        entry.value.is_null() ? config::Node::map({}, entry.value.place()) : entry.value;
    auto made = library->make<LiveDriver>()->make(section, path, {draft.settings.rig.value, draft.base},
                                                  draft.problems);
    if (made == nullptr) continue;  // said why
    resolved.push_back({entry.key, entry.place, made->resolved()});
    draft.rig.live_servers.push_back(std::move(made));
  }
  live = config::Node::map(std::move(resolved), live.place());
}

}  // namespace

const CapabilitySection kLiveSection{&live_keys, &make_live_servers};

}  // namespace tactus::executive
