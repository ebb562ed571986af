import DebianControl

/// Reads an input as a list of packages, until the end of the input or the first error.
func readStanzas(_ bytes: [UInt8]) {
  var reader = StanzaReader(bytes: bytes, stanzaLimit: 1 << 16)
  mayThrow {
    while let package = try reader.nextPackage() {
      _ = "\(package)"
    }
  }
}
