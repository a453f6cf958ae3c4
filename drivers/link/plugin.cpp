// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/link/link_variables.hpp"
#include "drivers/link/linked_rig.hpp"
#include "drivers/link/port.hpp"
#include "drivers/link/replay.hpp"
#include "drivers/link/settings.hpp"
#include "drivers/link/signals.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/link.hpp"

namespace tactus::drivers::link {
namespace {

class SilKitLink final : public executive::DriverWithFields<executive::LinkDriver, link_fields> {
 public:
  std::unique_ptr<executive::Link> make(const config::Node& settings, const std::string& path,
                                        const executive::LinkContext& context,
                                        config::Problems& problems) override {
    const std::size_t before = problems.count();
    LinkSettings read = link_fields().load(settings, path, problems);
    if (!context.realtime && read.mode == LinkMode::paced) read.mode = LinkMode::follow;
    const auto beside_rig = [&](std::string& file) {
      file = (context.base / file).lexically_normal().string();
    };
    if (read.library != kBuiltin) beside_rig(read.library);
    if (read.configuration) beside_rig(*read.configuration);
    if (context.replay.empty()) check_files(read, settings, path, problems);
    check_step(read, settings.place(), path, context.frame, problems);
    check_commands(read.commands, path, problems);
    for (const SubscribeSettings& each : read.subscribe)
      if (each.peer && *each.peer == read.participant.value_or(context.rig))
        problems.add(each.origin.place, path + ".subscribe." + each.name + ".peer",
                     config::show(*each.peer) +
                         " is this rig itself; name the participant that sends it the messages");
    Signals signals = link::bind(read, path, context, problems);
    if (problems.count() > before) return nullptr;
    if (context.replay.empty())
      return make_linked_rig(read, context.rig, context.frame, context.real_frame, std::move(signals));
    try {
      return make_replay(read, context.frame, std::move(signals), context.replay);
    } catch (const std::exception& failure) {
      problems.add({"--replay " + context.replay, 1, 1}, "link", failure.what());
    }
    return nullptr;
  }

  std::vector<executive::Variable> variables() const override {
    Signals any;
    any.subscriptions.emplace_back().name = "<subscription>";
    any.networks.emplace_back().name = "<network>";
    const LinkVariables made(any);
    std::vector<executive::Variable> all(made.all().begin(), made.all().end());
    for (executive::Variable& variable : all) variable.data = nullptr;
    return all;
  }

 private:
  static constexpr const char* kBuiltin = "builtin";

  /// Checks that the files are there which the rig needs to join: it would find out when its models have started.
  static void check_files(const LinkSettings& read, const config::Node& settings, const std::string& path,
                          config::Problems& problems) {
    const auto expect = [&](const char* key, const std::string& file, const char* fix) {
      std::error_code error;
      if (std::filesystem::is_regular_file(file, error)) return;
      const config::Node* const given = settings.find(key);
      problems.add(given == nullptr ? settings.place() : given->place(), path + "." + key,
                   "no file '" + file + "'; the path is relative to the rig file" + fix);
    };
    if (read.library != kBuiltin)
      expect("library", read.library, ", or 'builtin' for the library that comes with tactus");
    if (read.configuration) expect("configuration", *read.configuration, "");
  }

  /// A call must not be carried out twice.
  static void check_commands(const std::vector<CommandSettings>& commands, const std::string& path,
                             config::Problems& problems) {
    for (auto command = commands.begin(); command != commands.end(); ++command) {
      const auto twin = std::find_if(commands.begin(), command, [&](const CommandSettings& other) {
        return other.called() == command->called() && other.labels == command->labels;
      });
      if (twin != command)
        problems.add(command->origin.place, path + ".commands." + command->name,
                     "offers the function " + config::show(command->called()) + " as '" + twin->name +
                         "' does, with the same labels; a call would do both: name another 'function'");
    }
  }

  /// Checks that a step is a whole number of frames, and of nanoseconds: SIL Kit counts in these.
  static void check_step(const LinkSettings& settings, const config::SourceLocation& place,
                         const std::string& path, const rtsync::Period& frame, config::Problems& problems) {
    if (settings.mode == LinkMode::free) return;
    const rtsync::Period step = settings.step.value_or(frame);
    if (frames_per_step(settings, frame) == 0) {
      problems.add(place, path + ".step",
                   config::name_period(step) + " is not a whole number of frames (" +
                       config::name_period(frame) + "); a step ends where a frame does");
    } else if (!step.is_whole()) {
      problems.add(
          place, path + ".step",
          "is not a whole number of nanoseconds, which is what SIL Kit counts in; choose a multiple of " +
              std::to_string(frame.den()) + " frames");
    }
  }
};

}  // namespace
}  // namespace tactus::drivers::link

TACTUS_DRIVER(tactus::executive::LinkDriver, "silkit", tactus::drivers::link::SilKitLink)
