// SPDX-License-Identifier: Apache-2.0
#include "executive/app/run_report.hpp"

#include <cstdio>
#include <exception>
#include <vector>

#include "config/text.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/report/html_form.hpp"
#include "executive/report/report.hpp"
#include "executive/report/text_form.hpp"

namespace tactus::app {

ReportFile::ReportFile(const executive::RunFolder& folder, const std::string& file)
    : path(file.empty() ? folder.absolute_path() / "report.html" : std::filesystem::absolute(file)),
      shown(file.empty() ? folder.path() / "report.html" : std::filesystem::path(file)) {}

void report_run(const executive::RunFolder& folder, const ReportFile& to, bool quiet) noexcept try {
  constexpr std::size_t kTextColumns = 100;
  std::vector<report::RunData> runs;
  report::ReadRequest request{.ended = true};
  runs.push_back(report::read_run(folder.absolute_path(), request));
  const report::Page page = report::make_page(runs);
  report::write_report(
      to.path, to.path.extension() == ".txt" ? report::to_text(page, kTextColumns) : report::to_html(page));
  if (quiet) return;
  put("report: %s\n", to.shown.c_str());
  std::fflush(stdout);
} catch (const std::exception& error) {
  print_error("tactus: no report was made: %s; the run itself is not affected; try `tactus report %s`\n",
              config::one_line(error.what()).c_str(), folder.path().c_str());
}

bool is_report_name(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (name == "log.txt" || name.starts_with("trace-")) return false;
  return name.ends_with(".html") || name.ends_with(".htm") || name.ends_with(".txt");
}

std::string wrong_report_file(const std::string& file) {
  if (is_report_name(file)) return "";
  return config::show(file) +
         " is not a name of a report: it ends in .html, or in .txt for text, and is not that of a log or "
         "trace; "
         "without a name, write --report after the rig file";
}

}  // namespace tactus::app
