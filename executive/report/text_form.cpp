// SPDX-License-Identifier: Apache-2.0
#include "executive/report/text_form.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "config/text.hpp"
#include "rtsync/text.hpp"

namespace tactus::report {
namespace {

using rtsync::letters_in;  // each takes a column

constexpr std::size_t kNarrowest = 50;
constexpr std::size_t kWidest = 160;
constexpr std::size_t kPlotRows = 8;

const char* word_of(char sign) {
  return sign == 'g' ? "ok: " : sign == 'w' ? "WARNING: " : sign == 'c' ? "Compared: " : "FAILED: ";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t places = letters_in(text);
  const std::string blanks(width > places ? width - places : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::string cell_text(const Cell& cell) {
  std::string text = config::one_line(cell.text);
  if (cell.bar >= 0) {
    const auto length = static_cast<std::size_t>(std::ceil(std::clamp(cell.bar, 0.0, 1.0) * 10));
    text += (text.empty() ? "" : " ") + std::string(length, '#');
  }
  return text;
}

class TextWriter {
 public:
  explicit TextWriter(std::size_t width) : width_(std::clamp(width, kNarrowest, kWidest)) {}

  std::string page(const Page& page) {
    out_ = wrapped(word_of(page.sign) + config::one_line(page.verdict), width_);
    for (const RunWord& run : page.runs)
      out_ += wrapped(config::one_line(run.run + ": " + word_of(run.sign) + run.sentence), width_);
    out_ += wrapped(config::one_line(page.about), width_);
    if (!page.figures.empty()) {
      out_ += "\n";
      Table table{{{""}, {"", true}, {""}}, {}};
      for (const Figure& figure : page.figures)
        table.rows.push_back({{figure.name}, {figure.value}, {figure.note}});
      write(table);
    }
    for (const Section& section : page.sections) {
      const std::string title = config::one_line(section.title);
      out_ += "\n" + title + "\n" + std::string(std::min(letters_in(title), width_), '-') + "\n";
      for (const Block& block : section.blocks) std::visit([this](const auto& each) { write(each); }, block);
    }
    return out_;
  }

 private:
  void write(const Paragraph& paragraph) {
    out_ += wrapped((paragraph.warning ? "! " : "") + config::one_line(paragraph.text), width_);
  }

  void write(const Listing& listing) {
    out_ += wrapped(config::one_line(listing.summary) + ":", width_);
    for (const std::string& line : listing.lines) {
      const std::string whole = config::one_line(line);
      out_ += letters_in(whole) + 2 <= width_ ? "  " + whole + "\n" : wrapped(whole, width_, "  ");
    }
  }

  void write(const Table& table) {
    std::vector<std::size_t> widths;
    bool named = false;
    for (const Column& column : table.columns) {
      widths.push_back(letters_in(column.name));
      named = named || !column.name.empty();
    }
    for (const auto& row : table.rows)
      for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
        widths[i] = std::max(widths[i], letters_in(cell_text(row[i])));
    std::size_t whole = 0;
    for (const std::size_t each : widths) whole += each + 2;
    const std::size_t before_last = widths.empty() ? 0 : whole - widths.back() - 2;
    // A long last column may wrap, if it keeps some room.
    if (whole > width_ + 2 && before_last + 24 > width_) return list(table);
    const auto line = [&](const auto& text_at) {
      std::string text;
      for (std::size_t i = 0; i + 1 < widths.size(); ++i)
        text += padded(text_at(i), widths[i], table.columns[i].right) + "  ";
      const std::size_t last = widths.size() - 1;
      const std::string end = text_at(last);
      if (letters_in(text) + letters_in(end) <= width_) {
        text += table.columns[last].right ? padded(end, widths[last], true) : end;
        while (text.ends_with(' ')) text.pop_back();
        out_ += text + "\n";
        return;
      }
      std::string rest = wrapped(end, width_, std::string(before_last, ' '));
      out_ += text + rest.substr(before_last);
    };
    if (widths.empty()) return;
    if (named) line([&](std::size_t i) { return table.columns[i].name; });
    for (const auto& row : table.rows)
      line([&](std::size_t i) { return i < row.size() ? cell_text(row[i]) : std::string(); });
  }

  /// A row as lines: the first cell, then the others with their names.
  void list(const Table& table) {
    for (const auto& row : table.rows) {
      std::string rest;
      for (std::size_t i = 1; i < row.size() && i < table.columns.size(); ++i) {
        const std::string text = cell_text(row[i]);
        if (text.empty() || (row[i].bar >= 0 && row[i].text.empty())) continue;
        rest += (rest.empty() ? "" : "; ") +
                (table.columns[i].name.empty() ? "" : table.columns[i].name + " ") + text;
      }
      if (row.empty()) continue;
      const std::string first =
          (table.columns[0].name.empty() || !table.columns[0].right ? "" : table.columns[0].name + " ") +
          cell_text(row[0]);
      out_ += wrapped(first, width_);
      if (!rest.empty()) out_ += wrapped(rest, width_, "    ");
    }
  }

  /// Characters instead of a picture; of each column least and greatest.
  void write(const Plot& plot) {
    if (plot.rows) return;  // its jobs are listed beside it
    std::size_t label = 0;
    for (const Tick& tick : plot.y.ticks) label = std::max(label, letters_in(tick.label));
    label = std::min<std::size_t>(label, 14);
    const std::size_t columns = width_ - label - 2;
    std::vector<std::string> grid(kPlotRows, std::string(columns, ' '));
    const auto column = [&](double x) {
      return static_cast<std::size_t>(std::lround(place_on(plot.x, x) * static_cast<double>(columns - 1)));
    };
    const auto row = [&](double y) {
      return static_cast<std::size_t>(
          std::lround((1 - place_on(plot.y, y)) * static_cast<double>(kPlotRows - 1)));
    };
    for (const Mark& mark : plot.marks) {
      if (mark.vertical)
        for (std::string& line : grid) line[column(mark.at)] = '|';
      else
        grid[row(mark.at)].assign(columns, '-');
    }
    for (const Bars& bars : plot.bars)
      for (const Bars::Bar& bar : bars.bars) {
        const std::size_t to =
            bars.width > 0
                ? std::max(column(bar.x), column(bar.x + bars.width) -
                                              (column(bar.x + bars.width) > column(bar.x) ? 1U : 0U))
                : column(bar.x);
        for (std::size_t c = column(bar.x); c <= to; ++c)
          for (std::size_t r = row(bar.high); r <= row(bar.low); ++r) grid[r][c] = '#';
      }
    static constexpr char kInks[] = {'*', '+', 'x', 'o', '%', '@'};
    std::string legend;
    std::size_t number = 0;
    for (const Line& line : plot.lines) {
      const char ink = kInks[number++ % 6];
      if (!line.name.empty()) legend += (legend.empty() ? "" : "   ") + std::string(1, ink) + " " + line.name;
      for (std::size_t i = 0; i < line.points.size(); ++i) {
        const auto& [x, y] = line.points[i];
        const std::size_t from = column(x);
        const std::size_t to =
            i + 1 < line.points.size() ? std::max(from, column(line.points[i + 1].first)) : from;
        const std::size_t end = to > from ? to - 1 : to;
        for (std::size_t c = from; c <= end; ++c) grid[row(y)][c] = ink;
      }
    }
    if (!legend.empty()) out_ += wrapped(config::one_line(legend), width_);
    std::vector<std::string> names(kPlotRows);
    for (const Tick& tick : plot.y.ticks)
      if (names[row(tick.at)].empty()) names[row(tick.at)] = tick.label;
    for (std::size_t r = 0; r < kPlotRows; ++r) {
      std::string line =
          padded(std::string(rtsync::first_letters(names[r], label)), label, true) + " |" + grid[r];
      while (line.ends_with(' ')) line.pop_back();
      out_ += line + "\n";
    }
    std::string text;
    std::size_t free = 0;
    for (const Tick& tick : plot.x.ticks) {
      const std::size_t at =
          std::min(label + 2 + column(tick.at), width_ - std::min(width_, letters_in(tick.label)));
      if (at < free) continue;
      text += std::string(at - letters_in(text), ' ') + tick.label;
      free = letters_in(text) + 2;
    }
    out_ += text + "\n";
  }

  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, const std::string& indent) {
  std::string result;
  std::string line = indent;
  const auto end_line = [&] {
    while (line.ends_with(' ')) line.pop_back();
    result += line + "\n";
    line = indent;
  };
  const std::size_t room = std::max<std::size_t>(10, width - std::min(width, indent.size()));
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string_view::npos) end = text.size();
    std::string word(text.substr(at, end - at));
    at = end + 1;
    while (letters_in(word) > room) {  // longer than a line
      if (line.size() > indent.size()) end_line();
      const std::string piece(rtsync::first_letters(word, room));
      word.erase(0, piece.size());
      line += piece;
      end_line();
    }
    if (line.size() > indent.size() && letters_in(line) + 1 + letters_in(word) > room + indent.size())
      end_line();
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  if (line.size() > indent.size() || result.empty()) end_line();
  return result;
}

std::string to_text(const Page& page, std::size_t width) { return TextWriter(width).page(page); }

}  // namespace tactus::report
