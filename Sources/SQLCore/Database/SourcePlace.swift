/// The place in the source that requested an access.
public struct SourcePlace: Sendable {
  /// The module and the file: `Blog/Feed.swift`.
  public let fileID: StaticString
  /// The line, from 1.
  public let line: UInt

  /// Creates a place; by default that of the caller.
  public init(_ fileID: StaticString = #fileID, _ line: UInt = #line) {
    self.fileID = fileID
    self.line = line
  }
}
