#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Data: OrderedColumnValue {
  /// BLOB.
  public static var storageClass: StorageClass { .blob }

  /// Reads a BLOB; an empty one is empty data, not NULL.
  public init(_ cell: borrowing Cell) throws {
    self = try cell.blob()
  }

  /// The bytes.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue { .blob(self) }
}

extension Array: ColumnValue where Element == UInt8 {
  /// BLOB.
  public static var storageClass: StorageClass { .blob }

  /// Reads a BLOB; an empty one is an empty array, not NULL.
  public init(_ cell: borrowing Cell) throws {
    self = try cell.withBytes { Array($0) }
  }

  /// The bytes.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue { .blob(Data(self)) }
}

extension UUID: ColumnValue {
  /// TEXT; BLOB in the form `.bytes`.
  public static var storageClass: StorageClass { .text }

  /// Reads the lower-case text of RFC 4122, or 16 bytes where the column declares `.bytes`;
  /// anything else throws `ColumnValueError`.
  public init(_ cell: borrowing Cell) throws {
    if cell.form == .bytes {
      self = try cell.withBytes { bytes in
        guard bytes.count == 16 else {
          throw ColumnValueError.invalid("a BLOB of \(bytes.count) bytes", as: UUID.self)
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
      }
    } else {
      let text = try cell.text()
      guard let uuid = UUID(uuidString: text), uuid.uuidString.lowercased() == text else {
        throw ColumnValueError.invalid(text, as: UUID.self)
      }
      self = uuid
    }
  }

  /// The text in lower case, or the 16 bytes.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    form == .bytes
      ? .blob(withUnsafeBytes(of: uuid) { Data($0) })
      : .text(uuidString.lowercased())
  }

  /// TEXT for `.standard`, BLOB for `.bytes`.
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    switch form {
    case .standard: .text
    case .bytes: .blob
    default: nil
    }
  }
}

extension UUID: OrderedColumnValue {}
