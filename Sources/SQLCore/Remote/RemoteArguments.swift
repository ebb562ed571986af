import CSQLite

/// The values that were bound to a statement, as the virtual table gets them.
struct RemoteArguments {
  private enum Argument {
    case value(DatabaseValue)
    case array(BoundArray)
  }

  private let arguments: [Argument]

  init(_ values: UnsafeMutablePointer<OpaquePointer?>?, from start: Int, to end: Int) throws {
    arguments = try (start..<max(start, end)).map { index in
      guard let value = values?[index] else { return .value(.null) }
      if let array = ArrayTable.array(in: value) { return .array(array) }
      guard let copy = DatabaseValue(repairing: value) else { throw DatabaseError.outOfMemory }
      return .value(copy)
    }
  }

  /// Returns the values of the statement that is sent. An array becomes two of them.
  func values(for text: RemoteSQL) throws -> [DatabaseValue] {
    text.isArray.indices.flatMap { index -> [DatabaseValue] in
      guard index < arguments.count else { return [.null] }
      switch arguments[index] {
      case .array(let array): return array.remoteValues
      case .value(let value): return text.isArray[index] ? [.null, .null] : [value]
      }
    }
  }
}
