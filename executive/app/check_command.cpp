// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/unit_table.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/app/model_keys.hpp"
#include "executive/app/plan_report.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/campaign/file/plan.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/link.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/plan/rig.hpp"
#include "executive/plan/variables_page.hpp"

namespace tactus::app {
namespace {

/// The keys of all drivers that this machine has.
std::string driver_references() {
  static constexpr std::pair<const char*, const char*> kKinds[] = {{"clock", "`clock` with `driver: "},
                                                                   {"model", "a model with `driver: "},
                                                                   {"live", "`live."},
                                                                   {"link", "`link` with `driver: "},
                                                                   {"record", "a recording with `driver: "}};
  std::string text;
  for (const auto& [kind, keys_of] : kKinds)
    for (const std::string& name : executive::driver_names(kind)) {
      const executive::DriverLibrary library(kind, name);  // outlives what it made
      if (const auto section = library.make()->section())
        text += "\n#" + config::reference_page(*section, "Keys of " + (keys_of + name) + "`");
    }
  return text;
}

/// Variables that rigs have of their link, as the drivers of this machine declare them.
std::vector<executive::Variable> link_variables() {
  std::vector<executive::Variable> all;
  for (const std::string& name : executive::driver_names(executive::LinkDriver::kKind)) {
    const executive::DriverLibrary library(executive::LinkDriver::kKind, name);
    for (executive::Variable& variable : library.make<executive::LinkDriver>()->variables())
      all.push_back(std::move(variable));
  }
  return all;
}

/// Describes a file that models are made of, by the driver that knows it. Nothing: none does.
std::optional<int> examine(const std::string& file, executive::ExamineOptions& options) {
  if (file.ends_with(".yaml") || file.ends_with(".yml")) return std::nullopt;
  for (const std::string& name : executive::driver_names(executive::ModelDriver::kKind)) {
    std::optional<executive::DriverLibrary> library;
    std::unique_ptr<executive::ModelDriver> driver;
    try {
      library.emplace(executive::ModelDriver::kKind, name);
      driver = library->make<executive::ModelDriver>();
    } catch (const executive::LibraryError&) {
      continue;  // a rig that names it says why
    }
    const std::string extension = driver->extension();
    if (extension.empty() || !file.ends_with(extension)) continue;
    bool wrong = false;
    try {
      driver->examine(
          file,
          [&](bool finding, const std::string& text) {
            wrong = wrong || finding;
            print("%s%s\n", finding ? (painted(Ink::warning, "finding") + ": ").c_str() : "", text.c_str());
          },
          options);
    } catch (const std::exception& error) {
      throw CommandError(kWrongInput, error.what());
    }
    if (const auto* const unknown = options.unknown())
      throw CommandError(kWrongInput, "--" + unknown->name + " is not for files " + extension);
    return wrong ? kEndedEarly : kOk;
  }
  for (const auto& [extension, driver] : {std::pair{".fmu", "fmi"}, std::pair{".dbc", "can"}})
    if (file.ends_with(extension))
      throw CommandError(kWrongInput,
                         file + ": " + executive::reason_left_out(executive::ModelDriver::kKind, driver));
  return std::nullopt;
}

class CheckCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("check a rig file and print its plan, without starting it; or describe an .fmu or .dbc");
    rig_.declare(app);
    add_value(app, "--test", test_, "FILE", "check this test file with the rig");
    app.add_option("--from", question_.from, "use the job times (p99) of this run folder instead of budgets")
        ->option_text("RUN_DIR");
    app.add_flag("--max", question_.max, "with --from: use the longest call of each job instead of the p99");
    app.add_option("--bit-rate", bit_rate_,
                   "compute load and response times of a CAN database (.dbc) at this rate")
        ->option_text("RATE");
    app.add_option("--data-bit-rate", data_bit_rate_,
                   "use this rate for the data phase of CAN FD frames of a .dbc")
        ->option_text("RATE");
    app.add_flag("--measure", measure_,
                 "run the .fmu, too, and print how long its steps take on this machine");
    app.add_flag("--schema", schema_,
                 "print the JSON Schema of rig files, for editors; with a rig file also the keys of its "
                 "models' drivers, and names that these can have");
    app.add_flag("--reference", reference_, "print the reference page of rig files (Markdown)");
    app.add_flag("--units", units_, "print the page of units (Markdown)");
    app.add_flag("--variables", variables_, "print the page of the executive's own variables (Markdown)");
  }

  bool is_for_its_output() const override { return true; }
  int run() override {
    if (units_) return put_whole(config::units_page());
    if (variables_) return put_whole(executive::variables_page(link_variables()));
    if (schema_ && !rig_.file.empty()) return print_schema_of_rig();
    if (schema_) return put_whole(executive::rig_fields().json_schema("tactus rig"));
    if (reference_) return put_whole(executive::rig_fields().reference("The rig file") + driver_references());
    if (rig_.file.empty()) return wrong_line("check: which rig file? tactus check RIG.yaml");
    executive::ExamineOptions options{
        {{"bit-rate", bit_rate_}, {"data-bit-rate", data_bit_rate_}, {"measure", measure_ ? "yes" : ""}}};
    const bool of_a_rig = !rig_.set.empty() || !test_.empty() || !question_.from.empty() || question_.max;
    if (of_a_rig && (rig_.file.ends_with(".fmu") || rig_.file.ends_with(".dbc")))
      throw CommandError(kWrongInput,
                         "--set, --test, --from and --max are for rig files, not for " + rig_.file);
    if (const std::optional<int> examined = examine(rig_.file, options)) return *examined;
    if (measure_)
      throw CommandError(kWrongInput,
                         "--measure is for files of models (.fmu); tactus calibrate measures a rig");
    if (options.unknown() != nullptr)
      throw CommandError(kWrongInput,
                         "--bit-rate and --data-bit-rate are for CAN databases (.dbc), not for a rig file");
    if (question_.max && question_.from.empty())
      throw CommandError(kWrongInput, "--max needs a run: --from RUN_DIR");
    if (campaign::is_campaign(config::Document::from_file(rig_.file))) {
      const campaign::CampaignFile file = campaign::CampaignFile::load(rig_.file);
      return put_whole(campaign::plan_text(file, campaign::Cases(file), {}, 0));
    }
    executive::RunOverrides choices{.set = rig_.set, .test = test_};
    const std::unique_ptr<executive::Rig> loaded = executive::load_rig(rig_.file, choices);
    const executive::Rig& rig = *loaded;
    config::Problems unused;  // there are none
    const config::Document document = executive::load_document(rig_.file, rig_.set, unused);
    const std::vector<std::string> unfit = print_plan(rig, question_);
    print_notes(rig);
    print_changed_meaning(document, rig);
    if (unfit.empty()) return kOk;
    std::fflush(stdout);
    const std::string first = "rig " + rig.settings().rig.value + " cannot keep its times:";
    print_to(stderr, painted(Ink::bad, first, stderr) + "\n");
    for (const std::string& why : unfit) print_to(stderr, "  " + why + "\n");
    return kEndedEarly;
  }

 private:
  int print_schema_of_rig() const {
    config::Problems mistakes;  // the file is being written
    const ModelKeys keys(executive::load_document(rig_.file, rig_.set, mistakes));
    for (const ModelKeys::Of& each : keys.all())
      if (!each.problem.empty())
        print_error("tactus: note: model %s: names of its keys are not known: %s\n", each.model.c_str(),
                    each.problem.c_str());
    return put_whole(config::json_schema_text(keys.section_of_rig(), "tactus rig"));
  }

  RigArguments rig_;
  LoadQuestion question_;
  std::string bit_rate_, data_bit_rate_;
  std::string test_;
  bool measure_ = false;
  bool schema_ = false;
  bool reference_ = false;
  bool units_ = false;
  bool variables_ = false;
};

}  // namespace

std::unique_ptr<CommandDriver> check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace tactus::app
