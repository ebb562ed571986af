import SQLCore

extension Registration {
  /// All functions of this module, with `generate_series`: the UUID functions, `sha3` and
  /// `ieee754`.
  ///
  /// ```swift
  /// import SQLFunctions
  ///
  /// try db.register(.allFunctions)
  /// try db.rows("SELECT value, uuid() FROM generate_series(1, 5)")
  /// ```
  public static let allFunctions = Registration([.series, .uuid, .sha3, .ieee754])
}
