// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tactus::report {

/// Content of a report, before it becomes HTML or text: a title, figures, and sections of text, tables and
/// plots. All text is plain; each form escapes it.

/// Meaning of a cell or a figure; a sign or word is beside every colour.
enum class Tone { plain, code, cause, good, bad, soft };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  double bar = -1;     ///< 0 .. 1: drawn as a bar behind the text; below 0: none
  bool whole = false;  ///< never cut, however long it is
};

struct Column {
  std::string name;
  bool right = false;  ///< numbers
};

/// Columns by their names; '>' in front of a name: numbers.
inline std::vector<Column> named(std::initializer_list<std::string> names) {
  std::vector<Column> columns;
  for (const std::string& each : names)
    columns.push_back(each.starts_with('>') ? Column{each.substr(1), true} : Column{each});
  return columns;
}

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows{};
};

struct Paragraph {
  std::string text;
  bool warning = false;
};

/// Lines as they are, after a line that opens them.
struct Listing {
  std::string summary;
  std::vector<std::string> lines;
};

/// Mapping from a value to a place on an axis.
enum class Scale { linear, log, symmetric_log };

struct Tick {
  double at;
  std::string label;
};

struct Axis {
  Scale scale = Scale::linear;
  double from = 0;
  double to = 1;
  std::vector<Tick> ticks{};
  double knee = 1;  ///< end of the linear part of symmetric_log
};

/// The colours of the design, by what they stand for.
enum class Ink { late, work, slack, fourth, fifth, sixth, alarm, soft };

/// A column from `low` to `high` at each `x`.
struct Bars {
  struct Bar {
    double x, low, high;
  };
  Ink ink = Ink::work;
  std::vector<Bar> bars{};
  double width = 0;  ///< along x; 0: a line
};

struct Line {
  Ink ink = Ink::work;
  bool dashed = false;
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool steps = false;
};

/// A line across the plot, with words.
struct Mark {
  bool vertical = false;
  double at = 0;
  std::string label;
  bool hatched_beyond = false;
  bool soft = false;  ///< something that happened, not a limit
};

/// Words at a place.
struct Label {
  double x, y;
  std::string text;
};

struct Plot {
  std::string title;  ///< text for people who cannot see it
  int height = 150;
  Axis x{};
  Axis y{};
  std::vector<Bars> bars{};
  std::vector<Line> lines{};
  std::vector<Mark> marks{};
  std::vector<Label> labels{};
  bool rows = false;  ///< y is a row for each tick: a timeline
};

using Block = std::variant<Paragraph, Table, Plot, Listing>;

struct Section {
  std::string id;
  std::string title;
  std::vector<Block> blocks{};

  Section& add(Block block) {
    blocks.push_back(std::move(block));
    return *this;
  }
  Section& say(std::string text, bool warning = false) { return add(Paragraph{std::move(text), warning}); }
  /// Adds the table if it has rows.
  void add_rows(Table table) {
    if (!table.rows.empty()) add(std::move(table));
  }
};

struct Figure {
  std::string name;
  std::string value;
  std::string note;
};

/// The word about one of several runs.
struct RunWord {
  std::string run;  ///< "A"
  char sign = 'w';  ///< sign, as Page::sign
  std::string sentence;
};

struct Page {
  std::string title;  ///< title of the window
  char sign = 'w';    ///< 'g' well, 'w' warning, 'f' failed; 'c': it compares runs, and judges none
  std::string verdict;
  std::string about;
  std::vector<Figure> figures;
  std::vector<Section> sections;
  std::vector<RunWord> runs{};  ///< verdicts of the runs that are compared
};

/// Place of a value on an axis, 0 .. 1; values outside are at its ends.
double place_on(const Axis& axis, double value);

}  // namespace tactus::report
