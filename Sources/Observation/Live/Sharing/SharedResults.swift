import QueryDSL
import SQLCore

/// The observed results of a database. Observers of the same query with the same values share one
/// result. Queries that differ only in values share one template.
final class SharedResults: Sendable {
  /// The identity of a template, which is a query without the values of its arguments.
  final class Key: Hashable, Sendable {
    fileprivate struct Column: Hashable, Sendable {
      let type: ObjectIdentifier
      let form: StoredForm
    }

    private enum Value: Hashable, Sendable {
      case one(DatabaseValue)
      case list([DatabaseValue])
      case zeros(Int)
      case argument(BoundArgument)
    }

    private struct Content: Hashable, Sendable {
      let row: ObjectIdentifier
      let text: [UInt8]
      let values: [Value]
      let columns: [Column]
    }

    private let content: Content
    /// The hash of the content. It is calculated once, because the content may be long.
    private let hash: Int

    /// Returns nil if a value cannot be bound.
    fileprivate init?(
      _ row: Any.Type, text: [UInt8], values: [BoundValue], columns: [Column]
    ) {
      var known: [Value] = []
      for value in values {
        switch value {
        case .value(let value): known.append(.one(value))
        case .array(let array): known.append(.list(array.values))
        case .zeroBlob(let count): known.append(.zeros(count))
        case .argument(let argument): known.append(.argument(argument))
        case .unstorable: return nil
        }
      }
      content = Content(
        row: ObjectIdentifier(row), text: text, values: known, columns: columns)
      hash = content.hashValue
    }

    static func == (left: Key, right: Key) -> Bool {
      left === right || left.content == right.content
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }

  /// The registration of one result.
  struct Entry: Sendable {
    fileprivate let id: UInt64
    fileprivate let key: Key?
    fileprivate let values: [DatabaseValue]
    fileprivate let results: SharedResults

    /// Puts the result into a queue of results that wait to merge commits. There is one queue for
    /// merges that need a reader, and one for merges in memory.
    func merge(_ result: any MergedResult, inReader: Bool, atMost maximum: Int) {
      (inReader ? results.readerLine : results.memoryLine).append(result, atMost: maximum)
    }

    /// Removes the registration of a released result, and adds the result's cost to the past costs.
    func remove(_ cost: LiveCost) {
      // A template is released outside the lock.
      _ = results.state.withLock { state in
        state.past.add(cost)
        state.results[id] = nil
        return key.flatMap { state.remove(id, of: $0, values) }
      }
    }
  }

  /// A template of queries, and its observed results.
  private struct Template: Sendable {
    let template: any AnyObject & Sendable
    var ids: [[DatabaseValue]: UInt64] = [:]
  }

  private struct State {
    var results: [UInt64: Known] = [:]
    var templates: [Key: Template] = [:]
    var nextID: UInt64 = 0
    /// The sum of the costs of all results that are not observed any more.
    var past = LiveCost()

    mutating func enter<Result: ObservedResult>(
      _ key: Key?, _ values: [DatabaseValue], _ results: SharedResults, _ new: (Entry) -> Result
    ) -> (Result, Entry) {
      nextID += 1
      let entry = Entry(id: nextID, key: key, values: values, results: results)
      let result = new(entry)
      self.results[nextID] = Known(result: result)
      if let key { templates[key]?.ids[values] = nextID }
      return (result, entry)
    }

    /// Removes a result of a template. If the template has no more results, also removes and
    /// returns the template.
    mutating func remove(_ id: UInt64, of key: Key, _ values: [DatabaseValue]) -> Template? {
      // If a newer result is registered for the same values, that result stays registered.
      guard let template = templates.index(forKey: key),
        let place = templates.values[template].ids.index(forKey: values),
        templates.values[template].ids.values[place] == id
      else { return nil }
      templates.values[template].ids.remove(at: place)
      return templates.values[template].ids.isEmpty ? templates.remove(at: template).value : nil
    }
  }

  private struct Known: Sendable {
    weak var result: (any ObservedResult)?
  }

  private let state = Lock(State())
  private let readerLine = MergeLine()
  private let memoryLine = MergeLine()

  /// Returns the shared result of a query; creates it if needed.
  func result<Row>(of source: LiveSource<Row>, in database: Database) -> SharedResult<Row> {
    let key = source.template.key
    return state.withLock { state in
      guard let key else {
        return state.enter(nil, [], self) { SharedResult(source, in: database, at: $0) }.0
      }
      if let id = state.templates[key]?.ids[source.values],
        let known = state.results[id]?.result as? SharedResult<Row>
      {
        return known
      }
      let known = state.templates[key]?.template as? LiveTemplate<Row>
      let template = known ?? source.template
      if known == nil { state.templates[key] = Template(template: template) }
      return state.enter(template.key, source.values, self) {
        SharedResult(source.with(template), in: database, at: $0)
      }.0
    }
  }

  /// Returns the source with the template that observed queries already share. If there is no such
  /// template, returns the source unchanged.
  func sharing<Row>(_ source: LiveSource<Row>) -> LiveSource<Row> {
    guard let key = source.template.key else { return source }
    let known = state.withLock { $0.templates[key]?.template as? LiveTemplate<Row> }
    return known.map { source.with($0) } ?? source
  }

  /// Registers a result that is not shared.
  func enter(_ result: some ObservedResult) -> Entry {
    state.withLock { $0.enter(nil, [], self) { _ in result }.1 }
  }

  /// The observed results, and the costs of the results that were released.
  var all: (results: [any ObservedResult], past: LiveCost) {
    // The closure returns strong references to the results, so that no result is released while the
    // lock is held.
    state.withLock { state in (state.results.values.compactMap(\.result), state.past) }
  }
}

extension SharedResults.Key {
  /// Creates the key of a query. Returns nil if a closure of the program makes the rows, because
  /// closures cannot be compared.
  convenience init?<Row>(_ query: Query<Row>) throws {
    guard !query.decoding.isMapped else { return nil }
    let shape = try query.statement.shape()
    let columns = try query.decoding.columns().map { column in
      Column(type: ObjectIdentifier(column.type), form: column.form)
    }
    self.init(Row.self, text: shape.bytes, values: shape.values, columns: columns)
  }

  convenience init?(_ sql: SQL) {
    self.init(Row.self, text: Array(sql.text.utf8), values: sql.bindings, columns: [])
  }
}
