import ApusRemote
import Foundation
import SQLCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An engine in another process, behind a Unix socket: so that tests of this package, which has no
/// dependencies, run on a cluster. The process is `ClusterGateway` of the package in `Cluster`.
package final class GatewayEngine: RemoteEngine {
  package let name = "a dqlite cluster"
  package let maximumParameterCount = 255
  private let path: String
  private let database: String

  package init(path: String, database: String) {
    self.path = path
    self.database = database
  }

  package func connect(isReader: Bool, isStopped: () -> Bool) throws -> any RemoteSession {
    let session = try GatewaySession(GatewaySocket(connectingTo: path))
    _ = try session.ask(
      GatewayRequest(kind: .open, text: database, isReader: isReader), isStopped)
    return session
  }
}

final class GatewaySession: RemoteSession {
  private let socket: GatewaySocket

  init(_ socket: GatewaySocket) {
    self.socket = socket
  }

  var isOpen: Bool { socket.isOpen }

  func close() {
    socket.close()
  }

  func rows(of statement: RemoteText, isStopped: () -> Bool) throws -> any RemoteRows {
    let answer = try ask(request(.rows, statement), isStopped)
    return GatewayRows(answer.values.map(\.value), columnCount: answer.columnCount)
  }

  func run(_ statement: RemoteText, isStopped: () -> Bool) throws -> RemoteOutcome {
    let answer = try ask(request(.run, statement), isStopped)
    return RemoteOutcome(
      lastInsertRowID: answer.lastInsertRowID, changeCount: answer.changeCount)
  }

  private func request(_ kind: GatewayRequest.Kind, _ statement: RemoteText) -> GatewayRequest {
    GatewayRequest(
      kind: kind, text: statement.sql, values: statement.values.map(GatewayValue.init),
      isReadOnly: statement.isReadOnly, isInTransaction: statement.isInTransaction,
      columnNames: statement.columns.map(\.name),
      columnTypes: statement.columns.map(\.declaredType))
  }

  /// Sends a request and returns its answer, or throws the error that the answer has.
  func ask(_ request: GatewayRequest, _ isStopped: () -> Bool) throws -> GatewayAnswer {
    do {
      try socket.send(request)
      guard let answer = try socket.receive(GatewayAnswer.self, isStopped: isStopped) else {
        throw RemoteSessionError(outcome: .unknown, message: "the gateway ended")
      }
      if let code = answer.errorCode {
        throw DatabaseError(code: ResultCode(rawValue: code), message: answer.message)
      }
      if let isUnknown = answer.isUnknown {
        throw RemoteSessionError(
          outcome: isUnknown ? .unknown : .notRun, message: answer.message)
      }
      return answer
    } catch let error as RemoteSessionError {
      close()
      throw error
    }
  }
}

/// The rows of an answer.
private final class GatewayRows: RemoteRows {
  private let values: [DatabaseValue]
  private var start: Int
  let columnCount: Int

  init(_ values: [DatabaseValue], columnCount: Int) {
    self.values = values
    self.columnCount = columnCount
    start = -columnCount
  }

  func next(isStopped: () -> Bool) throws -> Bool {
    start += columnCount
    return columnCount > 0 && start < values.count
  }

  func withValue(at column: Int, _ body: (RemoteValue) -> Void) {
    switch values[start + column] {
    case .null: body(.null)
    case .integer(let integer): body(.integer(integer))
    case .real(let real): body(.real(real))
    case .text(var text): text.withUTF8 { body(.text(UnsafeRawBufferPointer($0))) }
    case .invalidText(let data): data.withUnsafeBytes { body(.text($0)) }
    case .blob(let data): data.withUnsafeBytes { body(.blob($0)) }
    }
  }

  func keepRemaining(isStopped: () -> Bool) {}
  func close() {}
}
