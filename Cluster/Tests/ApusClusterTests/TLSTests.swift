import Apus
import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation
import NIOSSL
import Testing

private enum Peer {
  static let program = ProcessInfo.processInfo.environment["APUS_CLUSTER_PEER"]
}

/// A node of dqlite's Go package, which was seen to be ready, whose connections are encrypted, and whose clients need a
/// certificate. `Cluster/Scripts/peer` builds it.
@Suite(
  .serialized, .enabled(if: Peer.program != nil, "APUS_CLUSTER_PEER names no program"))
struct TLSTests {
  private static let node = Result { try TLSNode() }

  private let node: TLSNode

  init() throws {
    node = try Self.node.get()
  }

  private func cluster(certificate: String, key: String, trusting root: String) throws -> Cluster {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(root)
    tls.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
    tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
    var cluster = Cluster(nodes: [node.address], database: "test-\(UUID())")
    cluster.tls = tls
    cluster.serverName = "apus-test"
    cluster.timeout = .seconds(1)
    return cluster
  }

  @Test func rowsAreWrittenAndReadThroughTLS() async throws {
    let cluster = try cluster(
      certificate: node.certificate, key: node.key, trusting: node.certificate)
    let db = try Database(engine: cluster)
    try await db.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
    #expect(try await db.fetch(Int.self, "SELECT x FROM t ORDER BY x") == [1, 2])
    // More than TLS sends in one record.
    let text = String(repeating: "é", count: 200_000)
    try await db.write(id: "long") { try $0.execute("INSERT INTO t VALUES (\(text))") }
    #expect(try await db.fetch(Int.self, "SELECT length(x) FROM t WHERE x = \(text)") == [200_000])
  }

  private func expectRefusal(_ cluster: Cluster) {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    #expect(throws: RemoteSessionError.self) {
      try Database(engine: cluster, configuration: configuration)
    }
  }

  @Test func aNodeWhoseCertificateIsNotTrustedIsRefused() throws {
    let cluster = try cluster(
      certificate: node.certificate, key: node.key, trusting: node.otherCertificate)
    expectRefusal(cluster)
  }

  @Test func aNodeOfAnotherNameIsRefused() throws {
    var cluster = try cluster(
      certificate: node.certificate, key: node.key, trusting: node.certificate)
    cluster.serverName = "another-name"
    expectRefusal(cluster)
  }

  @Test("without a server name, the certificate of a node must have the host of its address")
  func hosts() async throws {
    var named = try cluster(
      certificate: node.certificate, key: node.key, trusting: node.certificate)
    named.serverName = nil
    let db = try Database(engine: named)
    #expect(try await db.fetch(Int.self, "SELECT 1") == [1])
    // The certificate has no IP address.
    var numbered = try cluster(
      certificate: node.certificate, key: node.key, trusting: node.certificate)
    numbered.serverName = nil
    numbered.nodes = [node.address.replacing("localhost", with: "127.0.0.1")]
    expectRefusal(numbered)
  }

  @Test func aClientWithoutTheRightCertificateIsRefused() throws {
    let cluster = try cluster(
      certificate: node.otherCertificate, key: node.otherKey, trusting: node.certificate)
    expectRefusal(cluster)
  }

  @Test func aConnectionWithoutTLSIsRefused() throws {
    var cluster = try cluster(
      certificate: node.certificate, key: node.key, trusting: node.certificate)
    cluster.tls = nil
    expectRefusal(cluster)
  }
}

/// A cluster of one node with TLS, and two certificates: the node trusts only the first.
private final class TLSNode: @unchecked Sendable {
  let address = "localhost:\(FreePorts.next(1).lowerBound)"
  let certificate: String
  let key: String
  let otherCertificate: String
  let otherKey: String
  /// It ends with this process.
  private let process: NodeProcess

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())").path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    (certificate, key) = try Self.makeCertificate(folder + "/node")
    (otherCertificate, otherKey) = try Self.makeCertificate(folder + "/other")
    let log = URL(filePath: folder + "/log")
    process = try NodeProcess(
      [
        // The package names its socket by the number of the node, which is that of every first
        // node, and by this variable.
        "env", "SNAP_INSTANCE_NAME=apus-\(UInt32.random(in: 0 ... .max))",
        Peer.program ?? "", "node", folder + "/data", address, certificate, key,
      ], log: log)
    // It prints a line when it is ready.
    let start = ContinuousClock.now
    while true {
      let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      if text.contains("ready") { return }
      guard process.isRunning, ContinuousClock.now - start < .seconds(30) else {
        process.kill()
        throw NotReady(log: text)
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private struct NotReady: Error {
    let log: String
  }

  private static func makeCertificate(_ path: String) throws -> (String, String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30",
      "-subj", "/CN=apus-test", "-addext", "subjectAltName=DNS:apus-test,DNS:localhost",
      "-keyout", path + ".key", "-out", path + ".pem",
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return (path + ".pem", path + ".key")
  }
}
