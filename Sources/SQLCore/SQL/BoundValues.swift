import CSQLite

/// The values of a query in the order of their parameters, on their way from its tree to its
/// statement.
///
/// Numbers, the commonest ones, lie here without a reference to be counted.
package struct BoundValues {
  private enum Place: BitwiseCopyable {
    case null
    case integer(Int64)
    case real(Double)
    /// One of the others.
    case other(Int)
  }

  private var places = ContiguousArray<Place>()
  private var others = ContiguousArray<BoundValue>()

  package init() {}

  package mutating func append(_ value: BoundValue) {
    switch value {
    case .value(.integer(let integer)): places.append(.integer(integer))
    case .value(.null): places.append(.null)
    case .value(.real(let real)) where !real.isNaN: places.append(.real(real))
    default:
      places.append(.other(others.count))
      others.append(value)
    }
  }

  package mutating func append(contentsOf values: [BoundValue]) {
    for value in values { append(value) }
  }

  /// Empties it; the room stays, if it is not large.
  mutating func removeAll() {
    places.removeAll(keepingCapacity: places.count <= 256)
    if !others.isEmpty { others.removeAll(keepingCapacity: others.count <= 256) }
  }

  /// Binds each to its parameter.
  func bind(to statement: StatementPointer, on core: ConnectionCore) throws {
    var parameter: Int32 = 0
    for place in places {
      parameter &+= 1
      let code: Int32
      switch place {
      case .null: code = sqlite3_bind_null(statement.handle, parameter)
      case .integer(let integer): code = sqlite3_bind_int64(statement.handle, parameter, integer)
      case .real(let real): code = sqlite3_bind_double(statement.handle, parameter, real)
      case .other(let index):
        try core.bind(others[index], to: statement, at: parameter)
        continue
      }
      try core.check(code, sql: statement.sql)
    }
  }
}
