import CSQLite

/// The values that were bound to a statement, as the virtual table gets them.
struct RemoteArguments {
  private enum Argument {
    case value(DatabaseValue)
    case array(BoundArray)
  }

  private let arguments: [Argument]

  init(_ values: UnsafeMutablePointer<OpaquePointer?>?, from start: Int, to end: Int) throws {
    arguments = try (start..<max(start, end)).flatMap { index -> [Argument] in
      guard let value = values?[index] else { return [.value(.null)] }
      if let group = RemoteArgumentGroup.group(in: value) { return group.arguments.arguments }
      if let array = ArrayTable.array(in: value) { return [.array(array)] }
      guard let copy = DatabaseValue(copying: value) else { throw DatabaseError.outOfMemory }
      return [.value(copy)]
    }
  }

  /// Returns the values of the statement that is sent. An array becomes two of them.
  func values(for text: RemoteSQL) throws -> [DatabaseValue] {
    try text.isArray.indices.flatMap { index -> [DatabaseValue] in
      guard index < arguments.count else { return [.null] }
      switch arguments[index] {
      case .array(let array): return try array.remoteValues()
      case .value(let value): return text.isArray[index] ? [.null, .null] : [value]
      }
    }
  }
}

/// Several arguments in one: the result of `apus_remote_values(?1, ?2, …)`.
///
/// A virtual table can take over only its first 16 constraints. SQLite compares the others with the
/// rows itself, which have no such column, and so would find no row. A statement with more
/// parameters passes them in groups.
/// - SeeAlso: <https://www.sqlite.org/bindptr.html>
final class RemoteArgumentGroup {
  fileprivate let arguments: RemoteArguments

  private init(_ arguments: RemoteArguments) {
    self.arguments = arguments
  }

  static let functionName = "apus_remote_values"
  /// The number of parameters from which on they are passed in groups.
  static let minimumCount = 16
  /// The maximum number of arguments of a group. SQLite allows 127 of a function.
  static let maximumCount = 100
  /// SQLite compares the type of the pointer by content and requires that its memory is never freed.
  private static let pointerType = StaticString("apus-remote-values")

  private static var type: UnsafePointer<CChar> {
    UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  static func register(on core: ConnectionCore) throws {
    try core.check(
      sqlite3_create_function_v2(
        core.handle, functionName, -1, SQLITE_UTF8, nil,
        { context, count, values in
          do {
            let group = RemoteArgumentGroup(try RemoteArguments(values, from: 0, to: Int(count)))
            sqlite3_result_pointer(
              context, Unmanaged.passRetained(group).toOpaque(), RemoteArgumentGroup.type
            ) { pointer in
              if let pointer { Unmanaged<RemoteArgumentGroup>.fromOpaque(pointer).release() }
            }
          } catch {
            sqlite3_result_error_nomem(context)
          }
        }, nil, nil, nil))
  }

  static func group(in value: OpaquePointer?) -> RemoteArgumentGroup? {
    sqlite3_value_pointer(value, type).map {
      Unmanaged<RemoteArgumentGroup>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Returns the arguments of the virtual table for parameters: themselves, or their groups.
  static func grouped(_ parameters: [String]) -> [String] {
    guard parameters.count >= minimumCount else { return parameters }
    return stride(from: 0, to: parameters.count, by: maximumCount).map { start in
      let part = parameters[start..<min(start + maximumCount, parameters.count)]
      return "\(functionName)(\(part.joined(separator: ", ")))"
    }
  }
}
