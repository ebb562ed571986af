import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A Swift closure by which SQLite compares text; SQLite owns it and releases it.
final class Collation {
  private let compare: @Sendable (Span<UInt8>, Span<UInt8>) throws -> ComparisonResult
  // The core owns the handle, which owns this, and outlives both.
  private let core: Unmanaged<ConnectionCore>

  private init(
    core: ConnectionCore,
    _ compare: @escaping @Sendable (Span<UInt8>, Span<UInt8>) throws -> ComparisonResult
  ) {
    self.core = .passUnretained(core)
    self.compare = compare
  }

  static func register(
    _ name: String, on core: ConnectionCore,
    _ compare: @escaping @Sendable (Span<UInt8>, Span<UInt8>) throws -> ComparisonResult
  ) throws {
    let held = Unmanaged.passRetained(Collation(core: core, compare))
    let code = sqlite3_create_collation_v2(
      core.handle, name, SQLITE_UTF8, held.toOpaque(), compareText
    ) { pointer in
      if let pointer { Unmanaged<Collation>.fromOpaque(pointer).release() }
    }
    // Unlike elsewhere, SQLite does not release it on an error.
    if code != SQLITE_OK { held.release() }
    try core.check(code)
  }

  static func remove(_ name: String, on core: ConnectionCore) throws {
    try core.check(sqlite3_create_collation_v2(core.handle, name, SQLITE_UTF8, nil, nil, nil))
  }

  fileprivate func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int32 {
    let core = core.takeUnretainedValue()
    // After an error any answer will do: nothing of the statement stays.
    guard core.state.pointee.callbackFailure == nil else { return 0 }
    core.state.pointee.hookDepth &+= 1
    defer { core.state.pointee.hookDepth &-= 1 }
    do {
      let result = try compare(
        left.bindMemory(to: UInt8.self).span, right.bindMemory(to: UInt8.self).span)
      return Int32(result.rawValue)
    } catch {
      // SQLite has no way for a comparison to fail: the statement is interrupted.
      // The commit of a statement that writes is refused.
      core.note(error, spoilsWrites: true)
      core.vetoFailedCommits()
      sqlite3_interrupt(core.handle)
      return 0
    }
  }
}

private func compareText(
  context: UnsafeMutableRawPointer?, leftCount: Int32, left: UnsafeRawPointer?,
  rightCount: Int32, right: UnsafeRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<Collation>.fromOpaque(context).takeUnretainedValue().compare(
    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
}

extension Registrar {
  /// Adds a collation: how text is compared, sorted and looked up in indexes.
  ///
  /// ```swift
  /// try db.collation("reversed") { left, right in
  ///   left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
  /// }
  /// try db.rows("SELECT letter FROM alphabet ORDER BY letter COLLATE reversed")
  /// ```
  ///
  /// It must order any text in one way, always the same: an index is sorted by it. An error that it
  /// throws ends the statement and is its error; where the statement writes, its transaction is
  /// rolled back, as by an interruption. Text that is no UTF-8 is repaired. While it runs, its
  /// connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_collation.html>
  public func collation(
    _ name: String,
    _ compare: @escaping @Sendable (String, String) throws -> ComparisonResult
  ) throws {
    try byteCollation(name) { left, right in
      try compare(String(repairing: left), String(repairing: right))
    }
  }

  /// Adds a collation that compares the UTF-8 of the text, which is lent without a copy.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_collation.html>
  public func byteCollation(
    _ name: String,
    _ compare: @escaping @Sendable (Span<UInt8>, Span<UInt8>) throws -> ComparisonResult
  ) throws {
    try requireName(name, of: "collation")
    try register(
      Registration(.init(kind: .collation, name: name.lowercasedASCII)) { core in
        try Collation.register(name, on: core, compare)
      })
  }

  /// Removes a collation; a name that is none is no error.
  ///
  /// On a connection with a statement that runs, this throws `.busy`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_collation.html>
  public func removeCollation(_ name: String) throws {
    try requireName(name, of: "collation")
    try register(
      Registration(.init(kind: .collation, name: name.lowercasedASCII)) { core in
        try Collation.remove(name, on: core)
      })
  }
}

extension String {
  fileprivate init(repairing bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}
