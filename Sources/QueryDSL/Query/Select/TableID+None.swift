import SQLCore

extension TableID {
  /// The table of a SELECT without FROM. No layout has the number 0.
  static let none = TableID(layout: 0, source: 0)

  /// Whether it stands for no table.
  var isNone: Bool { layout == 0 && source == 0 }
}
