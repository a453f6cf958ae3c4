// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "config/json.hpp"
#include "executive/campaign/file/campaign_file.hpp"
#include "executive/campaign/file/plan.hpp"
#include "executive/campaign/run/runner.hpp"

namespace tactus::app {

/// `tactus campaign FILE --on slurm`. Throws CampaignError, config::ConfigError.
campaign::RunSummary run_on_slurm(const campaign::CampaignFile& file, const campaign::CampaignWork& work,
                                  const campaign::CaseSource& cases, const campaign::RunChoices& choices,
                                  campaign::RunListener& listener);

/// The jobs that `--on slurm` would submit: how many arrays and tasks, and the script of the first.
config::Json slurm_plan(const campaign::CampaignFile& file, const campaign::CampaignPlan& plan,
                        const campaign::CaseTimes& times, const campaign::RunChoices& choices);
std::string slurm_plan_text(const config::Json& plan);

/// `tactus campaign task DIR ARRAY`: what a job of the cluster runs. Returns the exit status. Throws CommandError.
int run_campaign_task(const std::string& folder, const std::string& array);

}  // namespace tactus::app
