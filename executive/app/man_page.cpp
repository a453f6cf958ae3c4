// SPDX-License-Identifier: Apache-2.0
#include "executive/app/man_page.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "rtsync/host/host_file.hpp"
#include "rtsync/joined.hpp"

namespace tactus::app {
namespace {

/// The end of a manual page.
struct ManExample {
  std::string_view command;  ///< the command of the page: "tactus run"
  std::string_view example;  ///< a whole command line
  std::string_view meaning;  ///< a sentence: "Runs the rig ..."
  std::string_view pages;    ///< pages of the documentation, the nearest first: "link.md silkit.md"
  std::string_view see;      ///< other commands, without "tactus": "check run"
};

/// One for each command, tactus itself too. @when setup
constexpr ManExample kManExamples[] = {
    {"tactus", "tactus run servo.yaml --report",
     "Runs the rig of a file in real time, and makes a page of what happened.",
     "README.md first-rig.md command-line.md examples.md", "run"},
    {"tactus run", "tactus run servo.yaml --set \"until=10 min\" --live 127.0.0.1:8600",
     "Runs ten minutes, with the page at http://127.0.0.1:8600/.",
     "command-line.md rig-file.md run-folder.md", "check report"},
    {"tactus check", "tactus check servo.yaml",
     "Prints threads, jobs in their order, rates and connections, or every mistake with its line.",
     "rig-file.md admission.md", "run calibrate"},
    {"tactus calibrate", "tactus calibrate servo.yaml --until 10s --to budgets.yaml",
     "Runs ten seconds, and writes a budget for each job, which --set @budgets.yaml lays over the rig.",
     "admission.md", "run check"},
    {"tactus doctor", "tactus doctor --all",
     "Lists what keeps this machine from hard real time, each with the command that fixes it.",
     "bench-setup.md", "run"},
    {"tactus recover", "tactus recover runs/servo-20261120-081449 --dry-run",
     "Says how much of each file is whole, and changes nothing.", "run-folder.md recordings.md", "report"},
    {"tactus convert", "tactus convert runs/servo-20261120-081449 --to mdf4",
     "Writes each recording of a run as an MDF 4.10 file beside it.", "recordings.md", "report"},
    {"tactus trace", "tactus trace runs/servo-20261120-081449",
     "Writes the latest frames of the rig to a file that ui.perfetto.dev opens.",
     "flight-recorder.md diagnose-an-overrun.md", "report"},
    {"tactus report", "tactus report runs/servo-20261120-081449",
     "Makes report.html in the run folder: causes, worst frames, timing, signals.",
     "report.md causes.md diagnose-an-overrun.md", "run trace"},
    {"tactus ps", "tactus ps", "Lists the rigs of this machine with their run folders.", "command-line.md",
     "watch stop"},
    {"tactus watch", "tactus watch servo 'motor.*' --every 500ms",
     "Shows the motor's variables twice a second.", "report.md http-api.md", "scope get"},
    {"tactus scope", "tactus scope servo motor.speed", "Draws the speed while the rig runs.",
     "report.md http-api.md", "watch"},
    {"tactus get", "tactus get servo 'motor.*'", "Prints the motor's variables, all of one frame.",
     "command-line.md http-api.md", "set watch"},
    {"tactus new", "tactus new model gain",
     "Makes the folder gain: a model, its CMakeLists.txt, a rig and a test.",
     "first-model.md writing-models.md drivers.md", "check run test"},
    {"tactus test", "tactus test config/rigs/servo.yaml config/tests/follows.test.yaml --no-realtime",
     "Runs the tests, one after the other, and prints a table of their verdicts.",
     "tests-of-a-rig.md drivers.md", "run new"},
    {"tactus campaign", "tactus campaign config/tests/servo.campaign.yaml --plan",
     "Prints the cases of the campaign, and starts nothing.", "campaigns.md tests-of-a-rig.md", "test run"},
    {"tactus switch", "tactus switch servo fault encoder_stuck on",
     "Lets the fault of that name begin with the next frame.", "stimuli-and-faults.md http-api.md",
     "force watch"},
    {"tactus set", "tactus set servo 'motor.load_torque=2 mN m'",
     "Writes one variable, at the beginning of a frame.", "command-line.md http-api.md", "get force"},
    {"tactus force", "tactus force servo controller.voltage=0",
     "Holds the voltage at 0 V until it is released.", "command-line.md http-api.md", "release set"},
    {"tactus release", "tactus release servo all", "Ends all forces.", "command-line.md http-api.md",
     "force"},
    {"tactus pause", "tactus pause servo", "Freezes the rig at the end of a frame.",
     "rig-states.md command-line.md", "resume step"},
    {"tactus resume", "tactus resume servo", "Lets a paused rig continue.", "rig-states.md command-line.md",
     "pause"},
    {"tactus step", "tactus step servo 10", "Runs ten frames of a paused rig.",
     "rig-states.md command-line.md", "pause run_until"},
    {"tactus run_until", "tactus run_until servo 2.5s", "Runs to 2.5 s of simulated time, and pauses there.",
     "rig-states.md command-line.md", "pause step"},
    {"tactus reset", "tactus reset servo", "Returns to the initial state, and continues from there.",
     "rig-states.md checkpoint.md", "load"},
    {"tactus stop", "tactus stop servo", "Ends the run in order: shutdown jobs, files, safe outputs.",
     "rig-states.md output-safety.md", "pause"},
    {"tactus checkpoint", "tactus checkpoint servo before-the-step",
     "Writes the whole state to before-the-step.tck in the folder of checkpoints.", "checkpoint.md",
     "load run"},
    {"tactus load", "tactus load servo before-the-step", "Loads that state into the paused rig.",
     "checkpoint.md", "checkpoint pause"},
    {"tactus help", "tactus help run", "Prints what tactus run --help prints.", "command-line.md", "run"},
    {"tactus demo", "tactus demo link --until 10s",
     "Runs registry, workflow, a virtual participant and a linked rig for ten seconds.",
     "first-federation.md link.md", "registry workflow"},
    {"tactus can", "tactus can dump can0 --database vehicle.dbc",
     "Prints the frames of an interface, with the names and values of their signals.", "can.md", "check run"},
    {"tactus monitor", "tactus monitor", "Shows the participants of the simulation at the usual address.",
     "silkit.md", "registry workflow"},
    {"tactus registry", "tactus registry -u silkit://127.0.0.1:8500", "Serves participants of this machine.",
     "silkit.md", "workflow monitor"},
    {"tactus workflow", "tactus workflow Setpoint Servo",
     "Starts the simulation when both are there, and stops it in order.", "silkit.md", "registry monitor"},
};

/// A text that roff prints as it is.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() || out.back() == '\n')
      if (c == '.' || c == '\'') out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

/// Ends the text with a full stop, as more sentences follow it.
std::string sentence(const std::string& text) {
  const char last = text.empty() ? '.' : text.back();
  return roff(text) + (last == '.' || last == '?' || last == '!' ? "" : ".");
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string page_name(const CommandFacts& command) {
  std::string name = command.path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

/// "[RIG]", "NAME ..."
std::string argument_text(const OptionFacts& argument) {
  const std::string name = italic(argument.value) + (argument.several ? " ..." : "");
  return argument.required ? name : "[" + name + "]";
}

std::string synopsis(const CommandFacts& command) {
  std::string text = ".SH SYNOPSIS\n" + bold(command.path);
  if (!command.options.empty()) text += " [" + italic("OPTION") + " ...]";
  for (const OptionFacts& argument : command.arguments) text += " " + argument_text(argument);
  if (!command.commands.empty()) text += " " + italic("COMMAND") + " ...";
  return text + "\n";
}

std::string option_text(const OptionFacts& option) {
  std::string text = ".TP\n";
  text += rtsync::joined(option.names, ", ", bold);
  if (option.names.empty())
    text += argument_text(option);
  else if (!option.value.empty())
    text += option.optional_value ? " [" + italic(option.value) + "]" : " " + italic(option.value);
  text += "\n" + sentence(option.about.empty() ? option.value : option.about) + "\n";
  if (!option.choices.empty()) text += "Values: " + rtsync::joined(option.choices, ", ", bold) + ".\n";
  for (const std::string& other : option.excludes) text += "Not together with " + bold(other) + ".\n";
  return text;
}

std::string options_text(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& argument : command.arguments) text += option_text(argument);
  for (const OptionFacts& option : command.options) text += option_text(option);
  return text;
}

/// EXAMPLES and SEE ALSO.
std::string end_of_page(const CommandFacts& command, const std::string& docs) {
  const auto* const found = std::ranges::find(kManExamples, command.path, &ManExample::command);
  std::string also;
  if (command.path != command.name) also = bold("tactus") + "(1)";
  if (found == std::end(kManExamples)) return ".SH SEE ALSO\n" + also + "\n";  // a driver of somebody else
  for (const std::string_view each : rtsync::words_of(found->see))
    also += (also.empty() ? "" : ", ") + bold("tactus-" + std::string(each)) + "(1)";
  std::string text = ".SH EXAMPLES\n.TP\n" + bold(std::string(found->example)) + "\n" +
                     roff(std::string(found->meaning)) + "\n.SH SEE ALSO\n" + also + "\n";
  for (const std::string_view each : rtsync::words_of(found->pages))
    text += ".br\n" + italic((docs.empty() ? "" : docs + "/") + std::string(each)) + "\n";
  return text;
}

}  // namespace

std::string man_file(const CommandFacts& command) { return page_name(command) + ".1"; }

std::string man_page(const CommandFacts& command, const std::string& version, const std::string& footer,
                     const std::string& docs) {
  const bool is_top = command.path == command.name;
  std::string title = page_name(command);
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string about = command.about;  // "tactus: a hard ...", which NAME says already
  if (about.starts_with(command.path + ": ")) about.erase(0, command.path.size() + 2);

  std::string page = ".\\\" Made by tactus help --man.\n.TH \"" + roff(title) + "\" 1 \"\" \"" +
                     roff(version) + "\" \"tactus\"\n.SH NAME\n" + roff(page_name(command)) + " \\- " +
                     roff(about) + "\n" + synopsis(command);
  if (const std::string options = options_text(command); !options.empty()) page += ".SH OPTIONS\n" + options;
  if (!command.commands.empty()) page += ".SH COMMANDS\n";
  for (const CommandFacts& each : command.commands) {
    if (is_top)
      page += ".TP\n" + bold(page_name(each)) + "(1)\n" + roff(each.about) + "\n";
    else
      page += ".SS " + roff(each.path) + "\n" + roff(each.about) + "\n" + options_text(each);
  }
  if (is_top)
    page += ".SH ENVIRONMENT\n.TP\n" + bold("TACTUS_PLUGIN_PATH") +
            "\nFolders of drivers and models, with colons between them; they come before the "
            "installation's.\n.TP\n" +
            bold("TACTUS_TOKEN") +
            "\nThe token of a rig's control port, for the commands to a running rig.\n";
  const std::string status = footer.substr(footer.starts_with("Exit status: ") ? 13 : 0);
  return page + ".SH EXIT STATUS\n" + roff(status) + "\n" + end_of_page(command, docs);
}

}  // namespace tactus::app
