/// Where in the source an access was asked for.
public struct SourcePlace: Sendable {
  /// The module and the file: `Blog/Feed.swift`.
  public let fileID: StaticString
  /// The line, from 1.
  public let line: UInt

  /// This place, where nothing else is said.
  public init(_ fileID: StaticString = #fileID, _ line: UInt = #line) {
    self.fileID = fileID
    self.line = line
  }
}
