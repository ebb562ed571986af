/// A value on its way to a parameter of a statement.
///
/// Operators cannot throw: a value without a stored form travels as its error, which is thrown when
/// the value would be bound.
@usableFromInline
package enum BoundValue: Sendable {
  case value(DatabaseValue)
  /// Many values behind one parameter, read through the table function `apus_array`.
  case array(BoundArray)
  case unstorable(ColumnValueError)
  /// A BLOB of so many bytes, all zero.
  case zeroBlob(Int)

  @inlinable
  package init(_ value: some ColumnValue, as form: StoredForm = .standard) {
    do {
      self = .value(try value.databaseValue(as: form))
    } catch let error as ColumnValueError {
      self = .unstorable(error)
    } catch {
      self = .unstorable(.unstorable(type(of: value), String(describing: error)))
    }
  }

  /// Many values; one without a stored form makes the whole its error.
  package init<Value: ColumnValue>(array values: some Sequence<Value>) {
    do {
      self = .array(BoundArray(try values.map { try $0.databaseValue(as: .standard) }))
    } catch let error as ColumnValueError {
      self = .unstorable(error)
    } catch {
      self = .unstorable(.unstorable(Value.self, String(describing: error)))
    }
  }

  /// The value; an array has none, and one that cannot be stored throws `ColumnValueError`.
  package var databaseValue: DatabaseValue {
    get throws {
      switch self {
      case .value(let value): return value
      case .array(let array): return .text("<\(array.values.count) values>")
      case .zeroBlob(let count): return .text("<\(count) zero bytes>")
      case .unstorable(let error): throw error
      }
    }
  }
}

/// The values behind one parameter.
@usableFromInline
package final class BoundArray: Sendable {
  package let values: [DatabaseValue]

  package init(_ values: [DatabaseValue]) {
    self.values = values
  }
}
