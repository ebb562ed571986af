import SQLCore

/// A number of a series: a row of `generateSeries`.
public struct SeriesElement: ResultRow, Equatable {
  /// The number.
  @Column public var value: Int

  /// Makes the row of a number.
  public init(value: Int) {
    self.value = value
  }
}
