import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation
import SQLCore

/// Starts three nodes, and serves sessions with them at a Unix socket, until its input ends.
@main
struct ClusterGateway {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: ClusterGateway SOCKET")
      exit(2)
    }
    let nodes = try ClusterNodes()
    let listener = try GatewaySocket(listeningAt: CommandLine.arguments[1])
    Thread.detachNewThread {
      while let client = listener.accept() {
        Thread.detachNewThread { Served(client, nodes).serve() }
      }
    }
    print("ready")
    fflush(nil)
    while readLine() != nil {}
    nodes.stop()
  }
}

/// One client, which has one session.
private final class Served {
  private let client: GatewaySocket
  private let nodes: ClusterNodes
  private var session: (any RemoteSession)?

  init(_ client: GatewaySocket, _ nodes: ClusterNodes) {
    self.client = client
    self.nodes = nodes
  }

  func serve() {
    defer {
      session?.close()
      client.close()
    }
    do {
      while let request = try client.receive(GatewayRequest.self) {
        try client.send(answer(request))
      }
    } catch {
      // The client is gone, or is lost without an answer.
    }
  }

  private func answer(_ request: GatewayRequest) -> GatewayAnswer {
    var answer = GatewayAnswer()
    do {
      try fill(&answer, request)
    } catch let error as DatabaseError {
      answer.errorCode = error.code.rawValue
      answer.message = error.message
    } catch let error as RemoteSessionError {
      answer.isUnknown = error.outcome == .unknown
      answer.message = error.message
    } catch {
      answer.isUnknown = true
      answer.message = "\(error)"
    }
    return answer
  }

  private func fill(_ answer: inout GatewayAnswer, _ request: GatewayRequest) throws {
    let client = client
    let isStopped = { client.isAbandoned }
    guard request.kind != .open else {
      let cluster = ClusterLeaders.shared.cluster(request.text, nodes)
      session = try cluster.connect(isReader: request.isReader, isStopped: isStopped)
      return
    }
    guard let session else {
      throw RemoteSessionError(outcome: .notRun, message: "no session was opened")
    }
    let statement = RemoteText(
      sql: request.text, values: request.values.map(\.value), isReadOnly: request.isReadOnly,
      isInTransaction: request.isInTransaction,
      columns: zip(request.columnNames, request.columnTypes).map {
        RemoteText.Column(name: $0, declaredType: $1)
      })
    guard request.kind == .rows else {
      let outcome = try session.run(statement, isStopped: isStopped)
      answer.lastInsertRowID = outcome.lastInsertRowID
      answer.changeCount = outcome.changeCount
      return
    }
    let rows = try session.rows(of: statement, isStopped: isStopped)
    defer { rows.close() }
    answer.columnCount = rows.columnCount
    while try rows.next(isStopped: isStopped) {
      for column in 0..<rows.columnCount {
        rows.withValue(at: column) { answer.values.append(GatewayValue(DatabaseValue($0))) }
      }
    }
  }
}

/// The description of the cluster for each database, so that its sessions know the same leader.
private final class ClusterLeaders: @unchecked Sendable {
  static let shared = ClusterLeaders()
  private let lock = NSLock()
  private var clusters: [String: Cluster] = [:]

  func cluster(_ name: String, _ nodes: ClusterNodes) -> Cluster {
    lock.withLock {
      let cluster = clusters[name] ?? nodes.cluster(name)
      clusters[name] = cluster
      return cluster
    }
  }
}

extension DatabaseValue {
  fileprivate init(_ value: RemoteValue) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): self = .blob(Data(bytes))
    }
  }
}
