/// The place in the source that requested an access.
struct SourcePlace: Sendable {
  /// The module and the file: `Blog/Feed.swift`.
  let fileID: StaticString
  /// The line, from 1.
  let line: UInt

  init(_ fileID: StaticString, _ line: UInt) {
    self.fileID = fileID
    self.line = line
  }
}
