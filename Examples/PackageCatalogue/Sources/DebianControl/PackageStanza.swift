/// A package, as a stanza of dpkg's or apt's package lists describes it.
public struct PackageStanza: Hashable, Sendable {
  /// The number of its stanza's first line in the input, counted from 1.
  public let line: Int

  /// Its name: `Package`.
  public let name: String

  /// The version of the package: `Version`. It is empty only if dpkg knows the name of the package,
  /// but has never installed it.
  public let version: String

  /// The processor architecture for which the package is built, or `all` for every architecture:
  /// `Architecture`. It is empty only if dpkg has never installed the package.
  public let architecture: String

  /// The subject of the package, such as `editors`: `Section`. If the field is missing, `unknown`.
  public let section: String

  /// The importance of the package for a system, such as `optional`: `Priority`. If the field is
  /// missing, `unknown`.
  public let priority: String

  /// The space that it takes when installed, in KiB: `Installed-Size`.
  public let installedSize: Int?

  /// The person or team that maintains the package: `Maintainer`. If the field is missing,
  /// `unknown`.
  public let maintainer: String

  /// The address of its project, as it is written in the stanza: `Homepage`.
  public let homepage: String?

  /// The first line of the field `Description`; empty if the field is missing.
  public let summary: String

  /// The other lines of the field `Description`, with empty lines between paragraphs. Lists of
  /// available packages often have only the first line.
  public let description: String

  /// Whether the system cannot work without it: `Essential: yes`.
  public let isEssential: Bool

  /// Whether it is installed: the third word of `Status` is `installed`.
  ///
  /// Lists of available packages have no `Status`.
  public let isInstalled: Bool

  /// The packages that it depends on, pre-depends on, or recommends.
  public let relations: [Relation]
}

extension PackageStanza {
  /// Reads the package that a stanza describes.
  ///
  /// Throws ``ControlError/malformed(line:_:)`` if a field is missing that every package has
  /// (`Package`, `Version` and `Architecture`), or if a value is not valid for its field.
  public init(_ stanza: Stanza) throws(ControlError) {
    let values = FieldValues(stanza: stanza)
    let state = try values.state()
    line = stanza.line
    name = try values.name()
    // The stanza of a package that was never installed may have only the fields `Package` and
    // `Status`.
    let hasVersion = state != "not-installed"
    version = try hasVersion ? values.required("Version") : values.text("Version") ?? ""
    architecture =
      try hasVersion ? values.required("Architecture") : values.text("Architecture") ?? ""
    section = values.text("Section") ?? "unknown"
    priority = values.text("Priority") ?? "unknown"
    installedSize = try values.size("Installed-Size")
    maintainer = values.text("Maintainer") ?? "unknown"
    homepage = values.text("Homepage")
    summary = values.firstLine("Description") ?? ""
    description = values.otherLines("Description")
    isEssential = try values.flag("Essential")
    isInstalled = state == "installed"
    var relations: [Relation] = []
    for kind in Relation.Kind.allCases {
      guard let field = stanza.field(named: kind.fieldName) else { continue }
      var parser = RelationParser(kind, field: field, of: stanza)
      try parser.parse(into: &relations)
    }
    self.relations = relations
  }
}

extension StanzaReader {
  /// Returns the next package, or nil at the end of the input.
  ///
  /// If it throws because a stanza is malformed, the next call continues after this stanza, as with
  /// ``next()``.
  public mutating func nextPackage() throws(ControlError) -> PackageStanza? {
    guard let stanza = try next() else { return nil }
    return try PackageStanza(stanza)
  }
}
