/// The numbers of sections, packages and dependencies that an import has stored, and of stanzas
/// that it has left out.
struct ImportSummary: Equatable, Codable, Sendable {
  var sections = 0
  var packages = 0
  var dependencies = 0
  /// The number of packages that were left out, because the list already had a package with the
  /// same name, version and architecture.
  var duplicates = 0
  /// The number of stanzas that were skipped, because they are malformed.
  var malformed = 0

  /// The number of stanzas that were read so far.
  var stanzas: Int { packages + duplicates + malformed }
}

extension ImportSummary: CustomStringConvertible {
  /// A text with the numbers of packages, dependencies and sections that were stored.
  var description: String {
    "\(packages.counted("package")), \(dependencies.counted("dependency", "dependencies")), "
      + sections.counted("section")
  }

  /// A text with the numbers of malformed and of repeated stanzas, which were left out; nil if no
  /// stanza was left out.
  var leftOut: String? {
    var parts: [String] = []
    if malformed > 0 { parts.append("\(malformed.grouped) malformed") }
    if duplicates > 0 { parts.append("\(duplicates.grouped) repeated") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
