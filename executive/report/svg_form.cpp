// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "executive/report/html_form.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::report {
namespace {

constexpr double kLeft = 84;
constexpr double kRight = 988;
constexpr double kTop = 8;
constexpr double kBelow = 26;

std::string place_text(double value) {
  std::string found = rtsync::format_text("%.1f", value);
  if (found.ends_with(".0")) found.resize(found.size() - 2);
  return found;
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot), left_(plot.rows ? 220 : kLeft), bottom_(plot.height - kBelow) {}

  std::string svg() {
    out_ = "<svg viewBox=\"0 0 1000 " + std::to_string(plot_.height) + "\" role=\"img\" aria-label=\"" +
           escaped(plot_.title) + "\"><title>" + escaped(plot_.title) + "</title>";
    grid();
    for (const Bars& bars : plot_.bars) draw(bars);
    for (const Line& line : plot_.lines) draw(line);
    for (const Mark& mark : plot_.marks) draw(mark);
    for (const Label& label : plot_.labels)
      text(x(label.x), y(label.y), x(label.x) > kRight - 150 ? "end" : "start", label.text, "t m");
    return out_ + "</svg>";
  }

 private:
  double x(double value) const { return left_ + place_on(plot_.x, value) * (kRight - left_); }
  double y(double value) const { return bottom_ - place_on(plot_.y, value) * (bottom_ - kTop); }

  void path(const char* kind, const std::string& d) {
    out_ += std::string("<path class=\"") + kind + "\" d=\"" + d + "\"/>";
  }
  void text(double at_x, double at_y, const char* anchor, const std::string& words, const char* kind) {
    out_ += "<text x=\"" + place_text(at_x) + "\" y=\"" + place_text(at_y) + "\" text-anchor=\"" + anchor +
            "\" class=\"" + kind + "\">" + escaped(words) + "</text>";
  }

  void grid() {
    std::string d;
    for (const Tick& tick : plot_.y.ticks) {
      d += "M" + place_text(left_) + " " + place_text(y(tick.at)) + "H" + place_text(kRight);
      text(left_ - 8, y(tick.at) + 4, "end", tick.label, "t");
    }
    double free = -1e9;
    for (const Tick& tick : plot_.x.ticks) {
      const double at = x(tick.at);
      if (plot_.x.scale == Scale::log)
        d += "M" + place_text(at) + " " + place_text(kTop) + "V" + place_text(bottom_);
      if (at < free) continue;  // its words would lie over those before
      free = at + 8 + 7 * static_cast<double>(tick.label.size());
      text(at, plot_.height - 8, at > kRight - 20 ? "end" : "middle", tick.label, "t");
    }
    if (!d.empty()) path("g", d);
  }

  void draw(const Bars& bars) {
    std::string d;
    for (const Bars::Bar& bar : bars.bars) {
      const double from = x(bar.x);
      double low = y(bar.low);
      const double high = y(bar.high);
      if (low - high < 0.8) low = high + 0.8;  // a value alone is seen, too
      if (bars.width > 0) {
        const double to = std::max(x(bar.x + bars.width), from + 1.2);
        d += "M" + place_text(from) + " " + place_text(low) + "V" + place_text(high) + "H" + place_text(to) +
             "V" + place_text(low) + "Z";
      } else {
        d += "M" + place_text(from) + " " + place_text(high) + "V" + place_text(low);
      }
    }
    if (!d.empty()) path((std::string(class_of(bars.ink)) + (bars.width > 0 ? " fill" : "")).c_str(), d);
  }

  void draw(const Line& line) {
    std::string points;
    double before = 0;
    for (const auto& [at, value] : line.points) {
      if (line.steps && !points.empty()) points += place_text(x(at)) + "," + place_text(before) + " ";
      before = y(value);
      points += place_text(x(at)) + "," + place_text(before) + " ";
    }
    if (points.empty()) return;
    out_ += std::string("<polyline class=\"") + class_of(line.ink) + " curve" + (line.dashed ? " dash" : "") +
            "\" points=\"" + points + "\"/>";
  }

  void draw(const Mark& mark) {
    if (mark.vertical) {
      const double at = x(mark.at);
      if (mark.hatched_beyond && at < kRight)
        out_ += "<rect x=\"" + place_text(at) + "\" y=\"" + place_text(kTop) + "\" width=\"" +
                place_text(kRight - at) + "\" height=\"" + place_text(bottom_ - kTop) +
                "\" fill=\"url(#hatch)\"/>";
      path(mark.soft ? "g" : "dl", "M" + place_text(at) + " " + place_text(kTop) + "V" + place_text(bottom_));
      if (mark.soft)  // at the lower edge, away from the words of limits
        return text(at > kRight - 120 ? at - 4 : at + 4, bottom_ - 4, at > kRight - 120 ? "end" : "start",
                    mark.label, "t m");
      const bool room = at > left_ + 120;
      text(room ? at - 6 : at + 6, kTop + 12, room ? "end" : "start", mark.label, "t al m");
    } else {
      path("dl", "M" + place_text(left_) + " " + place_text(y(mark.at)) + "H" + place_text(kRight));
      if (!mark.label.empty()) text(kRight - 4, y(mark.at) - 5, "end", mark.label, "t al m");
    }
  }

  const Plot& plot_;
  double left_;
  double bottom_;
  std::string out_;
};

}  // namespace

const char* class_of(Ink ink) {
  using enum Ink;
  static constexpr rtsync::Worded<Ink> kWords[] = {{late, "lp"},   {work, "wp"},  {slack, "sp"},
                                                   {fourth, "p4"}, {fifth, "p5"}, {sixth, "p6"},
                                                   {alarm, "dl"},  {soft, "g"}};
  return rtsync::word_of(kWords, ink);
}

std::string to_svg(const Plot& plot) { return Drawing(plot).svg(); }

}  // namespace tactus::report
