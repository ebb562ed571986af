/// What an import read and stored.
struct ImportSummary: Equatable, Sendable {
  var sections = 0
  var packages = 0
  var dependencies = 0
  /// Packages that were in the list a second time: same name, version and architecture.
  var duplicates = 0
  /// Stanzas that were passed over because they are none.
  var malformed = 0

  /// How many stanzas the list has had so far.
  var stanzas: Int { packages + duplicates + malformed }
}

extension ImportSummary: CustomStringConvertible {
  /// What was stored.
  var description: String {
    "\(packages.counted("package")), \(dependencies.counted("dependency", "dependencies")), "
      + sections.counted("section")
  }

  /// What was left out, and why; nil where nothing was.
  var leftOut: String? {
    var parts: [String] = []
    if malformed > 0 { parts.append("\(malformed.grouped) malformed") }
    if duplicates > 0 { parts.append("\(duplicates.grouped) listed before") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
