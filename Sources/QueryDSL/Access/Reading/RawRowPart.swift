import SQLCore

/// A part of a row of raw SQL: a model, a `ResultRow`, or an optional one. Programs do not use it
/// directly.
public protocol _RawRowPart: Sendable {
  /// The columns, and the way to read them; programs do not use it directly.
  static var _rawPart: _SelectItem<Self> { get }
}

extension ResultRow {
  /// The columns, and the way to read them; programs do not use it directly.
  public static var _rawPart: _SelectItem<Self> { Columns<Self>()._selection }
}

extension Optional: _RawRowPart where Wrapped: ResultRow {
  /// The columns, and the way to read them; programs do not use it directly.
  public static var _rawPart: _SelectItem<Wrapped?> { OptionalColumns<Wrapped>()._selection }
}
