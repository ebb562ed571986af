import ClusterNodes
import Foundation

/// Tries what holds when the nodes of a cluster fail: `Cluster/Scripts/faults`.
///
/// 16 writers and their readers, in four clients, work without a pause. Meanwhile nodes are killed,
/// paused and cut off at random, one round after another. With `--maintenance`, they are restarted,
/// replaced, stopped by a query without an end, and repaired instead.
@main
struct ClusterFaults {
  static func main() async throws {
    let options = try Options(CommandLine.arguments.dropFirst())
    print("seed \(options.seed), \(options.rounds) rounds, \(options.network)")
    let nodes = try ClusterNodes(
      spareCount: options.isMaintenance ? 1 : 0, network: options.network)
    defer { nodes.stop() }
    let trial = try Trial(nodes, options)
    let violations = try await options.isMaintenance ? trial.maintain() : trial.run()
    for violation in violations.prefix(20) { print("VIOLATED: \(violation)") }
    nodes.stop()
    if options.isPlanted {
      print(violations.isEmpty ? "the planted fault was not found" : "the planted fault was found")
      exit(violations.isEmpty ? 1 : 0)
    }
    print(violations.isEmpty ? "all held" : "\(violations.count) violations")
    exit(violations.isEmpty ? 0 : 1)
  }
}

struct Options {
  var rounds = 12
  var seed = UInt64.random(in: .min ... .max)
  var network = ClusterNodes.Network.loopback
  /// Whether writers send a write whose outcome is unknown again without its key, which applies it
  /// twice. The checks must find it.
  var isPlanted = false
  var isMaintenance = false

  init(_ arguments: some Sequence<String>) throws {
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      switch argument {
      case "--rounds": rounds = iterator.next().flatMap(Int.init) ?? rounds
      case "--seed": seed = iterator.next().flatMap(UInt64.init) ?? seed
      case "--namespaces": network = .namespaces
      case "--plant": isPlanted = true
      case "--maintenance": isMaintenance = true
      default:
        print(
          "usage: ClusterFaults [--maintenance] [--rounds N] [--seed N] [--namespaces] [--plant]")
        exit(2)
      }
    }
  }
}

/// SplitMix64: small, and the same on every machine.
struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
