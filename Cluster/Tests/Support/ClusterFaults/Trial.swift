import Apus
import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation

/// What happens to the nodes in a round.
enum Fault: String, CaseIterable {
  case killLeader = "kill the leader"
  case killFollower = "kill a follower"
  case killTwo = "kill two nodes"
  case pauseLeader = "pause the leader"
  case pauseFollower = "pause a follower"
  case pauseTwo = "pause two nodes"
  case cutLeader = "cut off the leader"
  case cutFollower = "cut off a follower"
  case cutTwo = "cut off two nodes"
  case killPaused = "pause the leader, then kill it"

  var needsNetwork: Bool { self == .cutLeader || self == .cutFollower || self == .cutTwo }
}

/// The rounds: a fault, its end, and proof that the cluster works again.
final class Trial {
  let nodes: ClusterNodes
  let options: Options
  let clients: [Client]
  let history = History()
  private var random: Random
  private var counts: [Fault: Int] = [:]

  init(_ nodes: ClusterNodes, _ options: Options) throws {
    self.nodes = nodes
    self.options = options
    random = Random(state: options.seed)
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(5)
    let cluster = nodes.cluster("faults")
    clients = try (0..<4).map { number in
      // Each has a leader and a pool of its own.
      let own = number == 0 ? cluster : nodes.cluster("faults")
      return Client(number, try Database(engine: own, configuration: configuration))
    }
    try clients[0].createTables()
  }

  func run() async throws -> [String] {
    try await underLoad {
      for round in 1...options.rounds {
        let fault = try await self.round(round)
        counts[fault, default: 0] += 1
        let pause = try await waitForProgress("round \(round), \(fault.rawValue)")
        print("; writes again after \(pause.milliseconds) ms")
        if round.isMultiple(of: 10), try await !check("round \(round)") { break }
      }
    }
    print(
      counts.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue): \($0.value)" }.joined(separator: ", "))
    return history.violations
  }

  /// Runs a closure while 16 writers work, and then checks what they wrote.
  func underLoad(_ body: () async throws -> Void) async throws {
    let start = ContinuousClock.now
    let tasks = clients.flatMap { client in
      (0..<4).map { number in
        let writer = Writer(
          id: client.number * 4 + number, client, history, isPlanted: options.isPlanted)
        return Task.detached { await writer.run() }
      }
    }
    try await body()
    history.end()
    for task in tasks { await task.value }
    _ = try await check("the end")
    let seconds = (ContinuousClock.now - start).components.seconds
    print(history.summary + ", in \(seconds) s")
  }

  // MARK: Rounds

  private func round(_ number: Int) async throws -> Fault {
    let possible = Fault.allCases.filter { options.network == .namespaces || !$0.needsNetwork }
    let fault = possible.randomElement(using: &random) ?? .killLeader
    let leader = nodes.leader() ?? 0
    let others = (0..<nodes.count).filter { $0 != leader }.shuffled(using: &random)
    let hold = Int.random(in: 100...2_500, using: &random)
    let before = history.acknowledged
    print("round \(number): \(fault.rawValue) for \(hold) ms …", terminator: " ")
    fflush(nil)
    let victims =
      switch fault {
      case .killLeader, .pauseLeader, .cutLeader, .killPaused: [leader]
      case .killFollower, .pauseFollower, .cutFollower: Array(others.prefix(1))
      case .killTwo, .pauseTwo, .cutTwo: [leader] + others.prefix(1)
      }
    try begin(fault, victims)
    try await Task.sleep(for: .milliseconds(hold))
    try end(fault, victims)
    print("\(history.acknowledged - before) acknowledged meanwhile", terminator: "")
    return fault
  }

  private func begin(_ fault: Fault, _ victims: [Int]) throws {
    for node in victims {
      switch fault {
      case .killLeader, .killFollower, .killTwo: nodes.kill(node)
      case .pauseLeader, .pauseFollower, .pauseTwo, .killPaused: nodes.pause(node)
      case .cutLeader, .cutFollower, .cutTwo: try nodes.cut(node)
      }
    }
  }

  private func end(_ fault: Fault, _ victims: [Int]) throws {
    for node in victims {
      switch fault {
      case .killLeader, .killFollower, .killTwo: try nodes.start(node)
      case .pauseLeader, .pauseFollower, .pauseTwo: nodes.resume(node)
      case .killPaused:
        nodes.kill(node)
        try nodes.start(node)
      case .cutLeader, .cutFollower, .cutTwo: try nodes.heal(node)
      }
    }
  }

  /// Waits until writes are acknowledged again. A node that ended by itself is reported, and started
  /// again, unless it is the one that was stopped. Returns how long it took.
  @discardableResult
  func waitForProgress(_ time: String, without stopped: Int? = nil) async throws -> Duration {
    let goal = history.acknowledged + 32
    let start = ContinuousClock.now
    while history.acknowledged < goal {
      for node in 0..<nodes.count where node != stopped && !nodes.isRunning(node) {
        history.violate("\(time): node \(node) ended by itself: \(nodes.log(node))")
        nodes.kill(node)
        try nodes.start(node)
      }
      try await Task.sleep(for: .milliseconds(20))
      if ContinuousClock.now - start > .seconds(90) {
        history.violate("\(time): no write for 90 s after its end")
        break
      }
    }
    return ContinuousClock.now - start
  }

  // MARK: Checks

  /// Compares what the database has with what was acknowledged. Returns whether all held so far.
  private func check(_ time: String) async throws -> Bool {
    try await check(time, history.settled, in: clients[0].db)
  }

  /// Compares what a database has with what was acknowledged.
  func check(_ time: String, _ expected: History.Settled, in db: Database) async throws -> Bool {
    var found: [Int: [Int: Int]] = [:]
    let rows = try await patiently {
      try await db.fetch(
        (Int, Int, Int).self, "SELECT writer, number, count(*) FROM entry GROUP BY 1, 2")
    }
    for (writer, number, count) in rows { found[writer, default: [:]][number] = count }
    for (writer, numbers) in found {
      for (number, count) in numbers where count > 1 {
        history.violate("\(time): write \(number) of writer \(writer) is there \(count) times")
      }
    }
    for (writer, numbers) in expected.entries {
      for number in numbers where found[writer]?[number] == nil {
        history.violate("\(time): the acknowledged write \(number) of writer \(writer) is lost")
      }
    }
    for (writer, numbers) in expected.refused {
      for number in numbers where found[writer]?[number] != nil {
        history.violate(
          "\(time): write \(number) of writer \(writer) is there, reported as not run")
      }
    }
    let lists = try await patiently {
      try await db.fetch((Int, String).self, "SELECT id, items FROM list")
    }
    var elements: [Int: Int] = [:]
    for (_, items) in lists {
      for item in items.split(separator: ",") { elements[Int(item) ?? -1, default: 0] += 1 }
    }
    for (element, count) in elements where count > 1 {
      history.violate("\(time): the element \(element) is in its list \(count) times")
    }
    for element in expected.elements where elements[element] == nil {
      history.violate("\(time): the element \(element) is lost from its list")
    }
    let isWhole = try await patiently {
      try await db.fetch(String.self, "SELECT integrity_check FROM pragma_integrity_check")
    }
    if isWhole != ["ok"] { history.violate("\(time): integrity_check: \(isWhole)") }
    return history.violations.isEmpty
  }

  /// Reads, again if the leader is lost meanwhile.
  private func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
    for _ in 0..<20 {
      if let value = try? await body() { return value }
      try await Task.sleep(for: .milliseconds(500))
    }
    return try await body()
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
