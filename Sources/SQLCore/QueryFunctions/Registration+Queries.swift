extension Registration {
  /// The functions that typed queries call. Every connection has them.
  static let queries = Registration([.folding, .timeZones, .json, .jsonValues])
}
