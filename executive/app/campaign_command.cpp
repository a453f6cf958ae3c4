// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <thread>

#include "executive/app/commands.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/campaign/file/plan.hpp"

namespace tactus::app {
namespace {

class CampaignCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("run a rig with many sets of values");
    app.add_option("FILE", file_, "campaign file (YAML)");
    app.add_flag("--plan", plan_, "print cases, number and an estimate; start nothing");
    app.add_option("--first", first_, "with --plan: print this number of cases; default 5")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    app.add_flag("--json", json_, "print JSON");
    app.add_flag("--schema", schema_, "print the JSON Schema of campaign files, for editors");
    app.add_flag("--reference", reference_, "print the reference page of campaign files (Markdown)");
  }

  int run() override {
    if (schema_ || reference_) {
      put("%s", (schema_ ? campaign::campaign_schema() : campaign::campaign_reference()).c_str());
      return kOk;
    }
    if (file_.empty()) {
      print_error("tactus campaign: which file? tactus campaign FILE.campaign.yaml --plan\n");
      return kWrongInput;
    }
    const campaign::CampaignFile file = campaign::CampaignFile::load(file_);
    const campaign::Cases cases(file);
    if (!plan_)
      throw CommandError(kWrongInput, "tactus campaign runs nothing yet; --plan prints what it would run");
    campaign::CaseTimes times;
    times.workers = static_cast<int>(std::thread::hardware_concurrency());
    if (json_)
      put("%s\n", campaign::plan_json(file, cases, times, first_).dump(2).c_str());
    else
      put("%s", campaign::plan_text(file, cases, times, first_).c_str());
    return kOk;
  }

 private:
  std::string file_;
  bool plan_ = false, json_ = false, schema_ = false, reference_ = false;
  std::int64_t first_ = 5;
};

}  // namespace

std::unique_ptr<CommandDriver> campaign_command() { return std::make_unique<CampaignCommand>(); }

}  // namespace tactus::app
