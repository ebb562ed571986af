import DebianControl

/// Returns all stanzas of a text.
func stanzas(_ text: String) throws -> [Stanza] {
  try stanzas(Array(text.utf8))
}

/// Returns all stanzas of the bytes.
func stanzas(_ bytes: [UInt8]) throws -> [Stanza] {
  var reader = StanzaReader(bytes: bytes)
  var stanzas: [Stanza] = []
  while let stanza = try reader.next() { stanzas.append(stanza) }
  return stanzas
}

/// Returns all packages of a text.
func packages(_ text: String) throws -> [PackageStanza] {
  var reader = StanzaReader(bytes: Array(text.utf8))
  var packages: [PackageStanza] = []
  while let package = try reader.nextPackage() { packages.append(package) }
  return packages
}

/// Returns the relations of one package with the given lines.
func relations(_ lines: String) throws -> [Relation] {
  try packages("Package: a\nVersion: 1\nArchitecture: all\n\(lines)\n").flatMap(\.relations)
}

/// Returns the error that ends the reading, or nil.
func failure(_ body: () throws -> Void) -> ControlError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ControlError
  }
}
