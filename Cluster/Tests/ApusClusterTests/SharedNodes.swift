import ClusterNodes
import Foundation

/// The three nodes of all tests.
enum SharedNodes {
  private static let nodes = Result { try ClusterNodes() }

  static func get() throws -> ClusterNodes {
    _ = end
    return try nodes.get()
  }

  private static let end: Void = {
    atexit { try? SharedNodes.get().stop() }
  }()
}
