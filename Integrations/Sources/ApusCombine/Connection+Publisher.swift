import Apus

extension Connection {
  /// Returns a publisher of the rows of a statement. This connection runs the statement while a
  /// subscriber demands rows.
  ///
  /// ```swift
  /// try db.read { connection in
  ///   connection.publisher("SELECT title FROM Post").sink { _ in … } receiveValue: { row in … }
  /// }
  /// ```
  ///
  /// Nothing runs before a row is demanded. The rows are sent on the thread that demands them,
  /// before the call of `request` returns. So when the call of `sink` returns, it has received all
  /// rows. Each subscriber runs the statement again. The publisher fails with the error that the
  /// statement throws. If a row is demanded after the connection's closure has returned, the error
  /// is a misuse. To read rows after the closure has returned, use `RowStream.publisher()`.
  public func publisher(_ sql: SQL) -> AnyPublisher<Row, any Error> {
    RowPublisher(connection: self, sql: sql).eraseToAnyPublisher()
  }
}

private struct RowPublisher: Publisher {
  typealias Output = Row
  typealias Failure = any Error

  let connection: Connection
  let sql: SQL

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Row, Downstream.Failure == any Error {
    subscriber.receive(
      subscription: RowSubscription(to: subscriber) { try connection.prepare(sql) })
  }
}

/// A subscription that steps a statement as long as its subscriber demands rows. It needs no lock,
/// because, like its connection, it must not be used by several threads at the same time.
private final class RowSubscription<Downstream: Subscriber>: Subscription
where Downstream.Input == Row, Downstream.Failure == any Error {
  /// The subscriber. Nil after the subscriber has received the completion or has cancelled.
  private var downstream: Downstream?
  private var demand = Subscribers.Demand.none
  /// Whether the loop that sends rows is running. If a subscriber demands more rows while it
  /// receives one, this loop sends them.
  private var isSending = false
  private let prepare: () throws -> Statement
  private var statement: Statement?

  init(to downstream: Downstream, _ prepare: @escaping () throws -> Statement) {
    self.downstream = downstream
    self.prepare = prepare
  }

  func request(_ more: Subscribers.Demand) {
    demand += more
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while demand > .none, let downstream {
      do {
        let statement = try self.statement ?? prepare()
        self.statement = statement
        guard try statement.step() else { return complete(.finished) }
        demand -= 1
        demand += downstream.receive(try statement.row())
      } catch {
        complete(.failure(error))
      }
    }
  }

  func cancel() {
    downstream = nil
    statement = nil
  }

  private func complete(_ completion: Subscribers.Completion<any Error>) {
    let downstream = downstream
    cancel()
    downstream?.receive(completion: completion)
  }
}
