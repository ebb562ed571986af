import Foundation

/// The pictures of the pages about speed, as SVG that is legible on light and dark pages.
struct PerformancePictures {
  private let figures: Figures

  init(_ figures: Figures) {
    self.figures = figures
  }

  // MARK: Bars

  /// Returns a bar chart. Each bar begins at the time of the C API. It extends to the left if the
  /// time is shorter, and to the right if it is longer. The scale is logarithmic, because GRDB's
  /// bars reach from 1 to 3,000.
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

  /// A chart of the times of some workloads that differ only in one number.
  struct Growth {
    let name: String
    /// The subject of the chart, as a sentence.
    let title: String
    let heading: String
    /// The things that the count of a workload counts, such as "observers".
    let unit: String
    let workloads: [(count: Double, name: String)]
    /// The label for the times of the C side, such as "the commit in C".
    let c: String
  }

  static let liveQueries = Growth(
    name: "live",
    title: "The time until a live query has its new result, by the number of its rows.",
    heading: "One row changes: until a live query has the result", unit: "rows of the result",
    workloads: [(10_000, "W10a"), (100_000, "W10b"), (1_000_000, "W10c")], c: "the commit in C")
  static let observers = Growth(
    name: "observers", title: "The time of a commit, by the number of observers of other rows.",
    heading: "One row changes: the commit beside observers of other rows", unit: "observers",
    workloads: [(10, "W10d"), (100, "W10d-100"), (1_000, "W10d-1000"), (10_000, "W10e")],
    c: "the commit in C")
  static let readers = Growth(
    name: "readers", title: "The time of a find, by the number of readers at the same time.",
    heading: "Finds of readers at the same time: all of the time, divided by the finds",
    unit: "readers", workloads: [(1, "W12r-1"), (2, "W12r-2"), (4, "W12r-4"), (8, "W12r")], c: "C")

  /// Whether the figures of the run have every point of a chart.
  func has(_ growth: Growth) -> Bool {
    growth.workloads.allSatisfy { figures[$0.name]?.times["apus"] != nil }
  }

  /// Returns the times of a chart as a sentence.
  func numbers(of growth: Growth) -> String {
    func list(_ texts: [String]) -> String {
      texts.dropLast().joined(separator: ", ") + " and " + (texts.last ?? "")
    }
    let counts = list(growth.workloads.map { PerformancePages.grouped($0.count) })
    let sides = [("apus", "Apus"), ("c", growth.c), ("grdb", "GRDB")].compactMap { side, title in
      let times = growth.workloads.compactMap { figures[$0.name]?.times[side] }
      guard times.count == growth.workloads.count else { return nil as String? }
      return "\(title) \(list(times.map(PerformancePages.time)))"
    }
    return "For \(counts) \(growth.unit): \(sides.joined(separator: "; "))."
  }

  /// Returns a line chart with one line for each side. The horizontal axis has the number in which
  /// the workloads differ, and the vertical axis has the time.
  func lines(of growth: Growth) -> String {
    let counts = growth.workloads.map(\.count)
    let x = Axis(
      from: (counts.min() ?? 1) / 1.25, to: (counts.max() ?? 10) * 1.25, start: 90, end: 610)
    let times = growth.workloads.flatMap { figures[$0.name]?.times.values.map { $0 } ?? [] }
    let y = Axis(
      from: (times.min() ?? 1_000) / 2, to: (times.max() ?? 1_000_000) * 2, start: 350, end: 60)
    var svg = open(width: 740, height: 400, title: growth.title)
    svg += """
      <text class="name" x="16" y="30">\(growth.heading)</text>
      <text class="small" x="350" y="388" text-anchor="middle">\(growth.unit)</text>

      """
    for tick in ticks(of: y) {
      svg += """
        <path class="tick" d="M90 \(n(y.place(tick)))H610"/>
        <text class="small" x="82" y="\(n(y.place(tick) + 4))" text-anchor="end">\
        \(PerformancePages.time(tick).replacing(".0", with: ""))</text>

        """
    }
    for count in counts {
      svg += """
        <text class="small" x="\(n(x.place(count)))" y="370" text-anchor="middle">\
        \(PerformancePages.grouped(count))</text>

        """
    }
    var labels: [(title: String, time: Double, x: Double, y: Double)] = []
    for (side, title) in [("c", growth.c), ("apus", "Apus"), ("grdb", "GRDB")] {
      let points = growth.workloads.compactMap { count, name in
        figures[name]?.times[side].map { (x.place(count), y.place($0), $0) }
      }
      guard let last = points.last else { continue }
      let path = points.map { "\(n($0.0)) \(n($0.1))" }.joined(separator: "L")
      svg += "<path class=\"curve \(side)\" d=\"M\(path)\"/>\n"
      for point in points {
        svg += "<circle class=\"\(side)\" cx=\"\(n(point.0))\" cy=\"\(n(point.1))\" r=\"4\"/>\n"
      }
      labels.append((title, last.2, last.0 + 10, last.1 + (side == "c" ? 16 : 0)))
    }
    // The labels of the lines must not overlap. A label has two rows of text, so it begins below
    // the label that precedes it.
    var top = 0.0
    for label in labels.sorted(by: { $0.y < $1.y }) {
      let place = max(label.y, top)
      top = place + 34
      svg += """
        <text class="value" x="\(n(label.x))" y="\(n(place))">\(label.title)</text>
        <text class="small" x="\(n(label.x))" y="\(n(place + 16))">\
        \(PerformancePages.time(label.time))</text>

        """
    }
    return svg + "</svg>\n"
  }

  /// Returns the times to mark on an axis. These are the powers of ten. If the axis has fewer than
  /// three powers of ten, the times two and five times as long as each power are marked as well.
  private func ticks(of axis: Axis) -> [Double] {
    let powers = (2...9).map { pow(10, Double($0)) }
    let inside = powers.filter { $0 >= axis.from && $0 <= axis.to }
    guard inside.count < 3 else { return inside }
    return powers.flatMap { [$0, 2 * $0, 5 * $0] }.filter { $0 >= axis.from && $0 <= axis.to }
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
