import Apus
import Dispatch

/// The creation of ids, which only Apus has.
extension Workload {
  static let newIDs = ids(name: "W15", title: "1,000,000 new ids on one thread", threads: 1)
  static let newIDsOfTwo = ids(name: "W15t", title: "the same on two threads", threads: 2)

  private static func ids(name: String, title: String, threads: Int) -> Workload {
    Workload(name: name, title: title, operations: 1_000_000, target: .time(60)) { _ in
      Sides(
        apus: Side {
          DispatchQueue.concurrentPerform(iterations: threads) { _ in
            var last = Unique64()
            for _ in 1..<(1_000_000 / threads) { last = max(last, Unique64()) }
            withExtendedLifetime(last) {}
          }
          return threads
        })
    }
  }
}
