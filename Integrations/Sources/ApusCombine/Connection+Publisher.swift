import Apus

extension Connection {
  /// Returns a publisher of the rows of a statement, which this connection runs while its subscriber
  /// demands rows.
  ///
  /// ```swift
  /// try db.read { connection in
  ///   connection.publisher("SELECT title FROM Post").sink { _ in … } receiveValue: { row in … }
  /// }
  /// ```
  ///
  /// Nothing runs before a row is demanded. Rows arrive on the thread that demands them, before
  /// `request` returns: `sink` has received all of them when it returns. Each subscriber runs the
  /// statement again. The publisher fails with the error that the statement throws. If a row is
  /// demanded after the connection's closure has returned, the error is a misuse. For rows that
  /// outlive the closure, use `RowStream.publisher()`.
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

/// A subscription that steps a statement as far as there is demand. Like its connection, it is used
/// in one place at a time, so it needs no lock.
private final class RowSubscription<Downstream: Subscriber>: Subscription
where Downstream.Input == Row, Downstream.Failure == any Error {
  /// Nil once the subscriber was completed, or has cancelled.
  private var downstream: Downstream?
  private var demand = Subscribers.Demand.none
  /// Whether a row is being sent. If its receiver demands more rows, the running loop sends them.
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
