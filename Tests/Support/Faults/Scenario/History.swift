/// The reads and writes of transactions, and a check whether they fit one order of all of them.
///
/// Each transaction reads some lists and appends to some, each time a value that no other one
/// appends. The final lists give the order of the writers, and the lists that were read give the
/// writers before and after the reader. A cycle in these orders is an anomaly.
struct History {
  struct Transaction {
    var reads: [Int: [Int]] = [:]
    var appends: [Int: Int] = [:]
  }

  private(set) var transactions: [Transaction] = []
  private(set) var findings: [String] = []

  mutating func add(_ transaction: Transaction) { transactions.append(transaction) }
  mutating func find(_ anomaly: String) { findings.append(anomaly) }

  /// Takes a line of a child: `txn r3=1,2,5 r4= a3=9`, or `anomaly …`.
  mutating func take(_ line: String) throws {
    let words = line.split(separator: " ")
    if words.first == "anomaly" { return findings.append(line) }
    guard words.first == "txn" else { return }
    var transaction = Transaction()
    for word in words.dropFirst() {
      let parts = word.dropFirst().split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let key = Int(parts[0]) else { throw Violation("bad line \(line)") }
      let values = parts[1].split(separator: ",").compactMap { Int($0) }
      if word.first == "r" { transaction.reads[key] = values }
      if word.first == "a" { transaction.appends[key] = values.first }
    }
    transactions.append(transaction)
  }

  func anomalies(final: [Int: [Int]]) -> [String] {
    var findings = findings
    var writers: [Int: Int] = [:]
    for (index, transaction) in transactions.enumerated() {
      for value in transaction.appends.values { writers[value] = index }
    }
    var followers: [Set<Int>] = Array(repeating: [], count: transactions.count)
    func link(_ first: Int?, _ second: Int?) {
      if let first, let second, first != second { followers[first].insert(second) }
    }
    for (key, list) in final {
      for value in list where writers[value] == nil {
        findings.append("\(value) is in list \(key), but no transaction reported appending it")
      }
      for (first, second) in zip(list, list.dropFirst()) { link(writers[first], writers[second]) }
    }
    for (index, transaction) in transactions.enumerated() {
      for (key, value) in transaction.appends where final[key]?.contains(value) != true {
        findings.append("\(value) was appended to list \(key), but is missing")
      }
      for (key, read) in transaction.reads {
        let list = final[key] ?? []
        guard list.starts(with: read) else {
          findings.append(
            "list \(key) was read as \(read.suffix(5)), but became \(list.prefix(9))…")
          continue
        }
        link(read.last.flatMap { writers[$0] }, index)
        if read.count < list.count { link(index, writers[list[read.count]]) }
      }
    }
    if hasCycle(followers) { findings.append("the transactions have no order") }
    return findings
  }

  /// Returns whether there is a cycle: some transactions always have another one before them.
  private func hasCycle(_ followers: [Set<Int>]) -> Bool {
    var counts = Array(repeating: 0, count: followers.count)
    for set in followers { for index in set { counts[index] += 1 } }
    var free = counts.indices.filter { counts[$0] == 0 }
    var removed = 0
    while let index = free.popLast() {
      removed += 1
      for next in followers[index] {
        counts[next] -= 1
        if counts[next] == 0 { free.append(next) }
      }
    }
    return removed < followers.count
  }
}
