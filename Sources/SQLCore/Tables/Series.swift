extension Registration {
  /// The table-valued function `generate_series(start, stop, step)`: integers from `start` to
  /// `stop`, both included.
  ///
  /// ```sql
  /// SELECT value FROM generate_series(5, 100, 5)
  /// ```
  ///
  /// Without `stop`, it goes up to 4294967295. The default of `step` is 1, which also stands for 0;
  /// a negative step counts downwards. Rows are made only when SQLite asks for them. Every
  /// connection that Apus opens has the function.
  /// - SeeAlso: <https://www.sqlite.org/series.html>
  public static let series = Registration { registrar in
    try registrar.tableFunction(
      "generate_series", columns: ["value"], arguments: ["start", "stop", "step"],
      isInnocuous: true
    ) { (start: Int64, stop: Int64?, step: Int64?) in
      Series(following: start, stop: stop ?? 4_294_967_295, step: step == 0 ? 1 : step ?? 1)
    }
  }
}

/// Integers at equal distances; the series ends rather than exceed 64 bits.
private struct Series: Sequence, IteratorProtocol {
  var following: Int64?
  let stop: Int64
  let step: Int64

  mutating func next() -> [DatabaseValue]? {
    guard let value = following, step > 0 ? value <= stop : value >= stop else { return nil }
    let (next, overflow) = value.addingReportingOverflow(step)
    following = overflow ? nil : next
    return [.integer(value)]
  }
}
