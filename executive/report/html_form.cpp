// SPDX-License-Identifier: Apache-2.0
#include "executive/report/html_form.hpp"

#include <algorithm>
#include <cmath>

#include "config/text.hpp"
#include "executive/report/html_style.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kLongestCell = 400;
constexpr std::size_t kLongestLine = 4000;  // evidence of a frame, with all that it names

/// Cuts off what a table cannot show of a text.
std::string shortened(const std::string& text, std::size_t longest = kLongestCell) {
  if (text.size() <= longest) return text;
  return text.substr(0, longest) + " ...";
}

const char* sign_of(char kind) {
  return kind == 'g' ? "\u2713" : kind == 'w' ? "\u25b2" : kind == 'c' ? "\u2248" : "\u2715";
}

std::string cell_html(const Cell& cell) {
  const std::string text = escaped(cell.whole ? cell.text : shortened(cell.text));
  using enum Tone;
  static constexpr rtsync::Worded<Tone> kClasses[] = {
      {cause, "cause"}, {good, "good"}, {bad, "bad"}, {soft, "soft"}};
  if (cell.tone == plain) return text;
  if (cell.tone == code) return "<code>" + text + "</code>";
  return std::string("<span class=\"") + word_of(kClasses, cell.tone) + "\">" + text + "</span>";
}

std::string bar_html(double share) {
  const auto percent = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 100));
  return "<span class=\"track\"><i data-w=\"" + std::to_string(percent) + "\"></i></span>";
}

class Writer {
 public:
  std::string page(const Page& page) {
    out_ =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta name=\"generator\" content=\"tactus report\">"
        "<title>" +
        escaped(page.title) + "</title>\n<style>\n" + kStyle;
    for (int i = 0; i <= 100; ++i)
      out_ += "[data-w=\"" + std::to_string(i) + "\"]{width:" + std::to_string(i) + "%}";
    out_ +=
        "\n</style></head><body>\n"
        "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"defs\"><defs>"
        "<pattern id=\"hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V7\" stroke=\"var(--edge-strong)\"/></pattern>"
        "</defs></svg>\n<header><h1><span class=\"sign ";
    out_ += std::string(1, page.sign) + "_\">" + sign_of(page.sign) + "</span>" + escaped(page.verdict) +
            "</h1>\n";
    if (!page.runs.empty()) {
      out_ += "<ul class=\"runs\" aria-label=\"Each run\">";
      for (const RunWord& run : page.runs)
        out_ += "<li><span class=\"sign " + std::string(1, run.sign) + "_\">" + sign_of(run.sign) +
                "</span><b>" + escaped(run.run) + "</b> " + escaped(run.sentence) + "</li>";
      out_ += "</ul>\n";
    }
    out_ += "<div class=\"soft\">" + escaped(page.about) + "</div>\n";
    if (!page.figures.empty()) {
      out_ += "<div class=\"tiles\">";
      for (const Figure& figure : page.figures)
        out_ += "<div>" + escaped(figure.name) + "<b>" + escaped(figure.value) +
                "</b><small class=\"soft\">" + escaped(figure.note) + "</small></div>";
      out_ += "</div>\n";
    }
    out_ += "<nav aria-label=\"Contents\">";
    for (const Section& section : page.sections)
      out_ += "<a href=\"#" + escaped(section.id) + "\">" + escaped(section.title) + "</a>";
    out_ += "</nav></header>\n<main>\n";
    for (const Section& section : page.sections) {
      out_ += "<section id=\"" + escaped(section.id) + "\"><h2>" + escaped(section.title) + "</h2>\n";
      for (const Block& block : section.blocks) std::visit([this](const auto& each) { write(each); }, block);
      out_ += "</section>\n";
    }
    return out_ + "</main></body></html>\n";
  }

 private:
  void write(const Paragraph& paragraph) {
    out_ += std::string("<p class=\"") + (paragraph.warning ? "warning" : "note") + "\">" +
            escaped(paragraph.text) + "</p>\n";
  }

  void write(const Table& table) {
    out_ += "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
    for (const Column& column : table.columns)
      out_ += std::string("<th scope=\"col\"") + (column.right ? " class=\"r\"" : "") + ">" +
              escaped(column.name) + "</th>";
    out_ += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
      out_ += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool right = i < table.columns.size() && table.columns[i].right;
        const bool prose = row[i].text.size() > 40;
        out_ += std::string("<td") +
                (right   ? " class=\"r\""
                 : prose ? " class=\"prose\""
                         : "") +
                ">" + cell_html(row[i]) + (row[i].bar >= 0 ? bar_html(row[i].bar) : "") + "</td>";
      }
      out_ += "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }

  void write(const Plot& plot) {
    const auto named = std::ranges::count_if(plot.lines, [](const Line& line) { return !line.name.empty(); });
    if (named > 0) {
      out_ += "<div class=\"legend\">";
      for (const Line& line : plot.lines) {
        if (line.name.empty()) continue;
        out_ += "<span><svg viewBox=\"0 0 26 10\" aria-hidden=\"true\"><polyline class=\"" +
                std::string(class_of(line.ink)) + (line.dashed ? " dash" : "") +
                "\" points=\"0,5 26,5\"/></svg>" + escaped(line.name) + "</span>";
      }
      out_ += "</div>\n";
    }
    out_ += "<div class=\"plot\">" + to_svg(plot) + "</div>\n";
  }

  void write(const Listing& listing) {
    out_ += "<details><summary>" + escaped(listing.summary) + "</summary><pre>";
    for (const std::string& line : listing.lines) out_ += escaped(shortened(line, kLongestLine)) + "\n";
    out_ += "</pre></details>\n";
  }

  std::string out_;
};

}  // namespace

std::string escaped(std::string_view text) {
  static constexpr std::pair<char, std::string_view> kMarks[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string result;
  for (const char& c : config::one_line(text)) {
    const auto* const mark = std::ranges::find(kMarks, c, &std::pair<char, std::string_view>::first);
    result += mark == std::end(kMarks) ? std::string_view(&c, 1) : mark->second;
  }
  return result;
}

std::string to_html(const Page& page) { return Writer().page(page); }

}  // namespace tactus::report
