import DebianControl

/// Reads any bytes as a list of packages, to the end or to the first error.
func readStanzas(_ bytes: [UInt8]) {
  var reader = StanzaReader(bytes: bytes, stanzaLimit: 1 << 16)
  mayThrow {
    while let package = try reader.nextPackage() {
      _ = "\(package)"
    }
  }
}
