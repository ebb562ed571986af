import DebianControl
import Foundation

/// The source of the packages.
enum PackageList: Equatable {
  /// A Debian control file.
  case file(String)
  case standardInput
  /// A few invented packages, for machines that have no list of their own.
  case sample

  /// The packages that dpkg knows on this machine, or the sample if there is no dpkg.
  static var ofThisMachine: PackageList {
    let path = "/var/lib/dpkg/status"
    return FileManager.default.isReadableFile(atPath: path) ? .file(path) : .sample
  }

  func open() throws -> StanzaReader {
    switch self {
    case .file(let path): try StanzaReader(path: path)
    case .standardInput: StanzaReader(descriptor: STDIN_FILENO)
    case .sample: StanzaReader(bytes: Array(SampleCatalogue.text.utf8))
    }
  }
}

extension PackageList: CustomStringConvertible {
  var description: String {
    switch self {
    case .file(let path): path
    case .standardInput: "standard input"
    case .sample: "the built-in sample"
    }
  }
}
