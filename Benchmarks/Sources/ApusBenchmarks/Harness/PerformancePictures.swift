import Foundation

/// The pictures of the pages about speed, as SVG that is legible on light and dark pages.
struct PerformancePictures {
  private let figures: Figures

  init(_ figures: Figures) {
    self.figures = figures
  }

  // MARK: Bars

  /// Returns bars that begin at the time of the C API: to the left for less time, to the right for
  /// more. The scale is logarithmic, because GRDB's bars reach from 1 to 3,000.
  func bars(of labels: [(name: String, label: String)]) -> String {
    let shown = labels.compactMap { entry in figures[entry.name].map { ($0, entry.label) } }
    let left = 300.0, right = 850.0, top = 64.0, line = 40.0
    let axis = Axis(from: 0.03, to: 5_000, start: left, end: right)
    let bottom = top + line * Double(shown.count)
    var svg = open(
      width: 920, height: Int(bottom) + 34,
      title: "The time of Apus and of GRDB for \(shown.count) workloads, relative to the C API.")
    for tick in [0.1, 1, 10, 100, 1_000] {
      let x = axis.place(tick)
      svg += """
        <path class="\(tick == 1 ? "one" : "tick")" d="M\(n(x)) \(n(top - 10))V\(n(bottom))"/>
        <text class="small" x="\(n(x))" y="\(n(top - 18))" text-anchor="middle">\
        \(tick == 1 ? "C API" : PerformancePages.quotient(tick).replacing(".00", with: "").replacing("0.10", with: "0.1") + " ×")</text>

        """
    }
    svg += legend([("apus", "Apus"), ("grdb", "GRDB")], x: 16, y: 30)
    for (index, (figure, label)) in shown.enumerated() {
      let y = top + line * Double(index)
      svg += """
        <text class="small" x="\(n(left - 12))" y="\(n(y + 16))" text-anchor="end">\
        \(escaped(label))</text>

        """
      for (place, side) in ["apus", "grdb"].enumerated() {
        guard let quotient = figure.quotients["\(side)/c"] else { continue }
        let x = axis.place(quotient), one = axis.place(1)
        let height = side == "apus" ? 12.0 : 10.0
        let at = y + (place == 0 ? 0 : 16)
        svg += """
          <rect class="\(side)" x="\(n(min(x, one)))" y="\(n(at))" \
          width="\(n(max(abs(x - one), 1)))" height="\(n(height))" rx="2"/>
          <text class="\(side == "apus" ? "value" : "small")" \
          x="\(n(quotient < 1 ? x - 5 : x + 5))" y="\(n(at + height - 1))" \
          text-anchor="\(quotient < 1 ? "end" : "start")">\(PerformancePages.quotient(quotient))</text>

          """
      }
    }
    return svg + "</svg>\n"
  }

  // MARK: Lines

  /// Returns lines of the time until a live query has its new result, by the number of its rows.
  func liveQueries() -> String {
    let workloads = [(10_000.0, "W10a"), (100_000, "W10b"), (1_000_000, "W10c")]
    let x = Axis(from: 8_000, to: 1_250_000, start: 90, end: 610)
    let times = workloads.flatMap { figures[$0.1]?.times.values.map { $0 } ?? [] }
    let y = Axis(
      from: (times.min() ?? 1_000) / 2, to: (times.max() ?? 1_000_000) * 2, start: 350, end: 60)
    var svg = open(
      width: 740, height: 400,
      title: "The time until a live query has its new result, by the number of its rows.")
    svg += """
      <text class="name" x="16" y="30">One row changes: until a live query has the result</text>
      <text class="small" x="350" y="388" text-anchor="middle">rows of the result</text>

      """
    var tick = 1_000.0
    while tick < 1e10 {
      if tick >= y.from, tick <= y.to {
        svg += """
          <path class="tick" d="M90 \(n(y.place(tick)))H610"/>
          <text class="small" x="82" y="\(n(y.place(tick) + 4))" text-anchor="end">\
          \(PerformancePages.time(tick).replacing(".0", with: ""))</text>

          """
      }
      tick *= 10
    }
    for (rows, _) in workloads {
      svg += """
        <text class="small" x="\(n(x.place(rows)))" y="370" text-anchor="middle">\
        \(PerformancePages.quotient(rows))</text>

        """
    }
    for (side, title) in [("c", "C: the commit"), ("apus", "Apus"), ("grdb", "GRDB")] {
      let points = workloads.compactMap { rows, name in
        figures[name]?.times[side].map { (x.place(rows), y.place($0), $0) }
      }
      guard let last = points.last else { continue }
      let path = points.map { "\(n($0.0)) \(n($0.1))" }.joined(separator: "L")
      svg += "<path class=\"curve \(side)\" d=\"M\(path)\"/>\n"
      for point in points {
        svg += "<circle class=\"\(side)\" cx=\"\(n(point.0))\" cy=\"\(n(point.1))\" r=\"4\"/>\n"
      }
      svg += """
        <text class="value" x="\(n(last.0 + 10))" y="\(n(last.1 + (side == "c" ? 16 : 0)))">\
        \(title)</text>
        <text class="small" x="\(n(last.0 + 10))" y="\(n(last.1 + (side == "c" ? 32 : 16)))">\
        \(PerformancePages.time(last.2))</text>

        """
    }
    return svg + "</svg>\n"
  }

  // MARK: Parts

  /// A logarithmic axis.
  private struct Axis {
    let from: Double
    let to: Double
    let start: Double
    let end: Double

    func place(_ value: Double) -> Double {
      let share = (log(min(max(value, from), to)) - log(from)) / (log(to) - log(from))
      return start + share * (end - start)
    }
  }

  private func n(_ value: Double) -> String {
    let text = String(format: "%.1f", value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  private func legend(_ entries: [(String, String)], x: Double, y: Double) -> String {
    var x = x
    return entries.map { side, title in
      defer { x += 90 }
      return """
        <rect class="\(side)" x="\(n(x))" y="\(n(y - 10))" width="14" height="11" rx="2"/>
        <text class="name" x="\(n(x + 20))" y="\(n(y))">\(title)</text>

        """
    }.joined()
  }

  private func open(width: Int, height: Int, title: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
    height="\(height)" role="img" aria-labelledby="title">
      <title id="title">\(title)</title>
      <style>
        text { font: 15px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; fill: #1d1b26; }
        .small { font-size: 13px; fill: #5c5868; }
        .value { font-size: 13px; font-weight: 600; }
        .name { font-weight: 600; }
        .page { fill: #fff; }
        .tick { stroke: #e2dfd8; }
        .one { stroke: #1d1b26; stroke-width: 1.5; }
        .apus { fill: #4338ca; stroke: none; }
        .grdb { fill: #c08a2d; stroke: none; }
        .c { fill: #8a8798; stroke: none; }
        .curve { fill: none; stroke-width: 2; }
        .curve.apus { stroke: #4338ca; }
        .curve.grdb { stroke: #c08a2d; }
        .curve.c { stroke: #8a8798; }
        @media (prefers-color-scheme: dark) {
          .page { fill: #16151c; }
          text { fill: #eeedf4; }
          .small { fill: #b9b6c6; }
          .tick { stroke: #34323f; }
          .one { stroke: #eeedf4; }
          .apus { fill: #a5a0fb; }
          .grdb { fill: #e0b25c; }
          .curve.apus { stroke: #a5a0fb; }
          .curve.grdb { stroke: #e0b25c; }
        }
      </style>
      <rect class="page" width="\(width)" height="\(height)" rx="12"/>

    """
  }
}
