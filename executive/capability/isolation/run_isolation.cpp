// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/isolation/run_isolation.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tactus::executive {

/// Each runs where the thread that calls it does, which sleeps meanwhile. The watcher's thread is more urgent
/// than any thread of the frames: a process that does not come back must not keep it from its CPU.
void RunIsolation::prepare() {
  const RigSettings& settings = run_.rig.settings();
  const RigCpus& cpus = run_.cpus;
  const bool realtime = run_.realtime;
  const ThreadsSection& threads = settings.threads;
  std::vector<rtsync::ThreadSettings> callers{cpus.of_frames("main", cpus.main, threads.main, realtime)};
  for (std::size_t i = 0; i < threads.workers.size(); ++i)
    callers.push_back(cpus.of_frames(threads.workers[i].name, cpus.workers[i], threads.workers[i], realtime));
  const auto caller_of = [&](const IsolatedModel& model) {
    for (const ModelSettings& each : settings.models)
      for (std::size_t i = 0; each.name == model.name() && i < callers.size(); ++i)
        if (callers[i].name == each.thread.value) return callers[i];
    return callers.front();
  };
  int highest = 0;
  for (const rtsync::ThreadSettings& caller : callers) highest = std::max(highest, caller.priority);
  for (IsolatedModel& model : isolation_.models()) {
    if (realtime)
      if (auto memory =
              model.prepare_memory(settings.memory.lock, static_cast<std::size_t>(settings.memory.heap)))
        run_.add({*std::move(memory)});
    run_.add(model.process().place(caller_of(model)));
  }
  if (const auto refused = isolation_.place(cpus.helpers, realtime ? highest + 1 : 0, cpus.rig))
    run_.add({*refused});
}

/// Its model is gone: the run has failed, also where no frame came behind the freeze to say so.
void RunIsolation::ended() {
  for (const IsolatedModel& model : isolation_.models())
    if (model.lost() && model.on_crash() != OnCrash::replace && run_.end.in_order())
      run_.end = {Outcome::failed, model.lost_text(), run_.end.frames};
}

void RunIsolation::after_jobs() {
  const RunEnd before = run_.end;
  const auto failures = std::make_shared<std::vector<std::string>>();
  if (!run_.aside("the destruction of the isolated models",
                  [this, failures] { *failures = isolation_.end_models(); })) {
    if (!before.in_order()) run_.end = before;
    return;
  }
  for (const std::string& failure : *failures) run_.fail(failure);
}

void RunIsolation::poll(RunVoice& voice) {
  for (IsolatedModel& model : isolation_.models())
    for (const std::string& line : model.take_log_lines()) voice.say(line);
}

void RunIsolation::summarize(Json& summary, Summary what) const {
  if (what != Summary::ended) return;
  Json all = Json::array();
  for (const IsolatedModel& model : isolation_.models()) {
    const bool in_job = model.lost();
    const bool lost = in_job || model.process().crashed();
    all.push_back({{"model", model.name()},
                   {"library", model.process().origin().library},
                   {"pid", model.process().pid()},
                   {"on_crash", name_of(model.on_crash())},
                   {"lost", lost ? Json(model.process().how()) : Json(nullptr)},
                   {"job", in_job ? Json(model.lost_job()) : Json(nullptr)},
                   {"frame", in_job ? Json(model.lost_frame()) : Json(nullptr)}});
  }
  summary["isolated"] = std::move(all);
}

}  // namespace tactus::executive
