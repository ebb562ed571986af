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
  /// A value that is known when a prepared query is called.
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

  /// A value in a form that a program says, where no column declares it: one that its type does not
  /// have is an error.
  package init<Value: ColumnValue>(_ value: Value, inForm form: StoredForm) {
    guard Value.storageClass(as: form) != nil else {
      self = .unstorable(.unstorable(value, "\(Value.self) has no stored form .\(form)"))
      return
    }
    self.init(value, as: form)
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
      case .argument(let argument): return .text("<argument \(argument.index + 1)>")
      }
    }
  }
}

/// What of which argument of a prepared query is bound, and in which form.
@usableFromInline
package struct BoundArgument: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case value
    /// The values of a list, without nil.
    case list
    /// Whether nil is in a list.
    case listHasNil
    /// A number of rows, which is not negative.
    case rowCount
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

/// The values behind one parameter.
@usableFromInline
package final class BoundArray: Sendable {
  package let values: [DatabaseValue]

  package init(_ values: [DatabaseValue]) {
    self.values = values
  }
}
