/// A value to be bound to a parameter of a statement.
///
/// Operators cannot throw. A value without a stored form is therefore kept as its error, which is
/// thrown when the value would be bound.
@usableFromInline
package enum BoundValue: Sendable {
  case value(DatabaseValue)
  /// Several values for one parameter, read through the table function `apus_array`.
  case array(BoundArray)
  /// The error is behind a reference: it is rare, and five times as large as a value.
  indirect case unstorable(ColumnValueError)
  /// A BLOB of this many zero bytes.
  case zeroBlob(Int)
  /// A value that is only known when a prepared query is called.
  case argument(BoundArgument)

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

  /// Makes a value in a form that the caller chose, where no column declares it. A form that the
  /// type does not have is kept as an error.
  package init<Value: ColumnValue>(_ value: Value, inForm form: StoredForm) {
    guard Value.storageClass(as: form) != nil else {
      self = .unstorable(.unstorable(value, "\(Value.self) has no stored form .\(form)"))
      return
    }
    self.init(value, as: form)
  }

  /// Makes an array of values. If one of them has no stored form, its error is kept instead of the
  /// array.
  package init<Value: ColumnValue>(array values: some Sequence<Value>) {
    do {
      self = .array(BoundArray(try values.map { try $0.databaseValue(as: .standard) }))
    } catch let error as ColumnValueError {
      self = .unstorable(error)
    } catch {
      self = .unstorable(.unstorable(Value.self, String(describing: error)))
    }
  }

  /// The value as it can be shown: a description in place of an array, a zero BLOB or an argument.
  /// Throws `ColumnValueError` for a value that cannot be stored.
  package var databaseValue: DatabaseValue {
    get throws {
      switch self {
      case .value(let value): return value
      case .array(let array): return .text("<\(array.values.count) values>")
      case .zeroBlob(let count): return .text("<\(count) zero bytes>")
      case .unstorable(let error): throw error
      case .argument(let argument): return .text("<argument \(argument.index + 1)>")
      }
    }
  }
}

/// The argument of a prepared query that is bound, which part of it, and in which form.
@usableFromInline
package struct BoundArgument: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case value
    /// The values of a list, leaving out nil.
    case list
    /// Whether a list contains nil.
    case listHasNil
    /// A number of rows, which must not be negative.
    case rowCount
    /// The end of a range of texts that begin with the argument.
    case prefixEnd
    /// The end of such a range in the collation NOCASE.
    case prefixEndIgnoringCase
  }

  package let index: Int
  package let form: StoredForm
  package let part: Part

  package init(_ index: Int, as form: StoredForm, part: Part = .value) {
    self.index = index
    self.form = form
    self.part = part
  }
}

/// The values of one array parameter.
@usableFromInline
package final class BoundArray: Sendable {
  package let values: [DatabaseValue]

  package init(_ values: [DatabaseValue]) {
    self.values = values
  }
}
