/// An error for an extension of SQLite that could not be loaded. Opening the connection fails with
/// it, and nothing of the database was read or changed.
/// - SeeAlso: <https://www.sqlite.org/loadext.html>
public struct ExtensionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of fault.
  public enum Reason: Hashable, Sendable {
    /// There is no file at the path.
    case missingFile
    /// The system cannot load the file: it is not a library, was built for another kind of
    /// processor, or needs a library that is missing.
    case notLoadable
    /// The library has no function with the name of the entry point.
    case missingEntryPoint
    /// The entry point returned an error.
    case failed
    /// The SQLite of this system cannot load extensions.
    case unsupported
  }

  /// The fault.
  public let reason: Reason
  /// The path of the library, as it was tried.
  public let path: String
  /// The entry point that the configuration names; nil if SQLite chose it.
  public let entryPoint: String?
  /// The reason that the system or SQLite gives, and advice.
  public let message: String

  /// The path and the message.
  public var description: String { "the extension \(path) was not loaded: \(message)" }
}
