import Apus
import ApusRemote
import ClusterNodes
import Foundation

/// The package catalogue on a cluster of three nodes, whose leader is killed in the middle of the
/// import: `Cluster/Scripts/run`.
///
/// Everything but this file belongs to the catalogue itself, in `Examples/PackageCatalogue`.
@main
struct Program {
  static func main() async {
    let console = Console()
    do {
      let list = CommandLine.arguments.dropFirst().first.map { PackageList.file($0) }
      try await Demo(list: list ?? .ofThisMachine, console: console).run()
    } catch {
      console.note("error: \(error)")
      exit(1)
    }
  }
}

struct Demo {
  let list: PackageList
  let console: Console
  private let start = ContinuousClock.now

  init(list: PackageList, console: Console) {
    self.list = list
    self.console = console
  }

  func run() async throws {
    let models: [any TableModel.Type] = [Section.self, Package.self, Dependency.self]
    report("reading \(list) into a file, to compare with")
    let file = try Database.temporary(models: models)
    let expected = try await read(into: file)

    report("starting three nodes")
    let nodes = try ClusterNodes()
    defer { nodes.stop() }
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(30)
    let db = try Database(
      engine: nodes.cluster("catalogue"), models: models, configuration: configuration)
    for node in nodes.addresses.indices {
      report(
        "node \(node + 1) at \(nodes.addresses[node])" + (nodes.leader() == node ? ", leads" : ""))
    }

    let fault = Task { try await killLeader(of: nodes, db, after: expected.packages / 3) }
    report("reading the same list into the cluster")
    let summary = try await read(into: db)
    try await fault.value
    guard summary == expected else { throw Different(what: "\(summary) instead of \(expected)") }

    try await compare(db, file)
    for query in ShownQuery.all(searching: "text") {
      console.show(heading: query.title)
      console.show("\(try await query.table(db))")
    }
  }

  private func read(into db: Database) async throws -> ImportSummary {
    var importer = Importer(database: db, progress: ImportProgress(console: console))
    importer.batchSize = 20
    return try await importer.read(list)
  }

  /// Waits until a third is stored, kills the node that leads, waits for the next one, and starts the
  /// killed one again.
  private func killLeader(of nodes: ClusterNodes, _ db: Database, after count: Int) async throws {
    while try await db.count(Package.all) < count { try await Task.sleep(for: .milliseconds(20)) }
    guard let leader = nodes.leader() else { throw Different(what: "no node leads") }
    report(
      "\(try await db.count(Package.all)) packages are stored; killing node \(leader + 1), the leader"
    )
    nodes.kill(leader)
    let killed = ContinuousClock.now
    var next: Int?
    while next == nil || next == leader {
      try await Task.sleep(for: .milliseconds(50))
      next = nodes.leader()
    }
    let seconds = ((ContinuousClock.now - killed) / .seconds(1)).rounded(toPlaces: 1)
    report("node \((next ?? 0) + 1) leads, after \(seconds) s; starting node \(leader + 1) again")
    try nodes.start(leader)
  }

  /// Throws if the cluster has other packages or dependencies than the file.
  private func compare(_ db: Database, _ file: Database) async throws {
    let packages = Package.order(by: \.$name).order(by: \.$version).order(by: \.$architecture)
      .select(\.$name, \.$version, \.$architecture, \.$description)
    let dependencies = Dependency.order(by: \.$name).order(by: \.$kind)
      .select(\.$name, \.$kind, \.$constraint)
    guard try await db.table(packages).rows == file.table(packages).rows else {
      throw Different(what: "the packages differ from those of the file")
    }
    guard
      try await db.table(dependencies).rows.map({ "\($0)" }).sorted()
        == file.table(dependencies).rows.map({ "\($0)" }).sorted()
    else { throw Different(what: "the dependencies differ from those of the file") }
    report("the cluster has the same packages and dependencies as the file")
  }

  private func report(_ text: String) {
    let seconds = ((ContinuousClock.now - start) / .seconds(1)).rounded(toPlaces: 1)
    console.note("\(seconds) s  \(text)")
  }
}

/// The error that the cluster is not as it should be.
struct Different: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}
