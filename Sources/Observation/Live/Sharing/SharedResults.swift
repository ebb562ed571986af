import QueryDSL
import SQLCore

/// The results that are observed in a database, by their queries and values, so that observers of
/// the same query share one.
final class SharedResults: Sendable {
  /// What two queries have in common if their rows are the same.
  struct Key: Hashable, Sendable {
    fileprivate struct Column: Hashable, Sendable {
      let type: ObjectIdentifier
      let form: StoredForm
    }

    private enum Value: Hashable, Sendable {
      case one(DatabaseValue)
      case list([DatabaseValue])
      case zeros(Int)
    }

    private let row: ObjectIdentifier
    private let text: [UInt8]
    private let values: [Value]
    private let columns: [Column]

    /// Returns nil if a value is not known yet.
    fileprivate init?(
      _ row: Any.Type, text: [UInt8], values: [BoundValue], columns: [Column]
    ) {
      self.row = ObjectIdentifier(row)
      self.text = text
      self.columns = columns
      var known: [Value] = []
      for value in values {
        switch value {
        case .value(let value): known.append(.one(value))
        case .array(let array): known.append(.list(array.values))
        case .zeroBlob(let count): known.append(.zeros(count))
        case .unstorable, .argument: return nil
        }
      }
      self.values = known
    }
  }

  /// The place of one result.
  struct Entry: Sendable {
    fileprivate let id: UInt64
    fileprivate let key: Key?
    fileprivate let results: SharedResults

    /// Removes the result, after it was released, and keeps what it has cost.
    func remove(_ cost: LiveCost) {
      results.state.withLock { state in
        state.past.add(cost)
        state.results[id] = nil
        if let key, state.ids[key] == id { state.ids[key] = nil }
      }
    }
  }

  private struct State {
    var results: [UInt64: Known] = [:]
    var ids: [Key: UInt64] = [:]
    var nextID: UInt64 = 0
    /// What the results have cost that are not observed any more.
    var past = LiveCost()

    mutating func enter<Result: ObservedResult>(
      _ key: Key?, _ results: SharedResults, _ new: (Entry) -> Result
    ) -> (Result, Entry) {
      nextID += 1
      let entry = Entry(id: nextID, key: key, results: results)
      let result = new(entry)
      self.results[nextID] = Known(result: result)
      if let key { ids[key] = nextID }
      return (result, entry)
    }
  }

  private struct Known: Sendable {
    weak var result: (any ObservedResult)?
  }

  private let state = Lock(State())

  /// Returns the result of a query that observers share.
  func result<Row>(of source: LiveSource<Row>, in database: Database) -> SharedResult<Row> {
    let key = try? source.key?()
    return state.withLock { state in
      if let id = key.flatMap({ state.ids[$0] }),
        let known = state.results[id]?.result as? SharedResult<Row>
      {
        return known
      }
      return state.enter(key, self) { SharedResult(source, in: database, at: $0) }.0
    }
  }

  /// Enters a result that is not shared.
  func enter(_ result: some ObservedResult) -> Entry {
    state.withLock { $0.enter(nil, self) { _ in result }.1 }
  }

  /// The results that are observed, and what the others have cost.
  var all: (results: [any ObservedResult], past: LiveCost) {
    // The results may be released outside the lock only.
    state.withLock { state in (state.results.values.compactMap(\.result), state.past) }
  }
}

extension SharedResults.Key {
  /// Returns the key of a query; nil if a closure of the program makes its rows, so that two queries
  /// cannot be compared.
  init?<Row>(_ query: Query<Row>) throws {
    guard !query.decoding.isMapped else { return nil }
    let shape = try query.statement.shape()
    let columns = try query.decoding.columns().map { column in
      Column(type: ObjectIdentifier(column.type), form: column.form)
    }
    self.init(Row.self, text: shape.bytes, values: shape.values, columns: columns)
  }

  init?(_ sql: SQL) {
    self.init(Row.self, text: Array(sql.text.utf8), values: sql.bindings, columns: [])
  }
}
