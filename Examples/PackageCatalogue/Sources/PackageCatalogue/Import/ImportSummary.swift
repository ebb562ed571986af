/// The numbers of what an import read and stored.
struct ImportSummary: Equatable, Codable, Sendable {
  var sections = 0
  var packages = 0
  var dependencies = 0
  /// Packages that the list repeated: same name, version and architecture.
  var duplicates = 0
  /// Malformed stanzas, which were skipped.
  var malformed = 0

  /// The number of stanzas that were read so far.
  var stanzas: Int { packages + duplicates + malformed }
}

extension ImportSummary: CustomStringConvertible {
  /// The numbers of what was stored.
  var description: String {
    "\(packages.counted("package")), \(dependencies.counted("dependency", "dependencies")), "
      + sections.counted("section")
  }

  /// The numbers of what was left out, and the reasons; nil if nothing was.
  var leftOut: String? {
    var parts: [String] = []
    if malformed > 0 { parts.append("\(malformed.grouped) malformed") }
    if duplicates > 0 { parts.append("\(duplicates.grouped) repeated") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
