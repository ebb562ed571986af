import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A collation whose comparison is a Swift closure. SQLite owns and releases it.
final class Collation {
  private let compare: @Sendable (Span<UInt8>, Span<UInt8>) throws -> ComparisonResult
  // The reference is not counted, because the core outlives this object. The core owns the handle,
  // which owns this object.
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
    // If this function fails, it does not release the object, unlike SQLite's other registration
    // functions.
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
    // If an error was noted before, the result of the comparison does not matter, because the work
    // of the statement is undone.
    guard core.state.pointee.hooks.failure == nil else { return 0 }
    core.state.pointee.hooks.willCallOut()
    defer { core.state.pointee.hooks.didCallOut() }
    do {
      let result = try compare(
        left.bindMemory(to: UInt8.self).span, right.bindMemory(to: UInt8.self).span)
      return Int32(result.rawValue)
    } catch {
      // A comparison cannot report an error to SQLite. The statement is therefore interrupted. If
      // it writes, its commit is refused.
      core.state.pointee.hooks.note(error, spoilsWrites: true)
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
  /// Registers a collation: a rule by which SQLite compares texts, sorts them, and finds them in
  /// indexes.
  ///
  /// ```swift
  /// try db.collation("reversed") { left, right in
  ///   left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
  /// }
  /// try db.rows("SELECT letter FROM alphabet ORDER BY letter COLLATE reversed")
  /// ```
  ///
  /// The closure must define a total order of all texts. This order must never change, because
  /// indexes are sorted by it. If the closure throws, the running statement fails with the message
  /// of that error. If the statement writes, its transaction is rolled back, as after an
  /// interruption. Text that is not UTF-8 is repaired before the closure receives it. While the
  /// collation runs, its connection can run nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_collation.html>
  public func collation(
    _ name: String,
    _ compare: @escaping @Sendable (String, String) throws -> ComparisonResult
  ) throws {
    try byteCollation(name) { left, right in
      try compare(String(repairing: left), String(repairing: right))
    }
  }

  /// Registers a collation that compares the UTF-8 bytes of texts. The bytes are not copied.
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

  /// Removes a collation. The name does not have to be registered.
  ///
  /// Throws `DatabaseError` (`.busy`) if a statement is running on the connection.
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
