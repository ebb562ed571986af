/// The place of an event in the feed of one run of the server: `epoch.number`.
///
/// A browser sends the last one that it received when it connects again. The epoch differs from run to
/// run, because the numbers begin again.
struct EventID: Hashable, Sendable, LosslessStringConvertible {
  var epoch: UInt32
  var number: Int

  init(epoch: UInt32, number: Int) {
    self.epoch = epoch
    self.number = number
  }

  init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = UInt32(parts[0]), let number = Int(parts[1]) else {
      return nil
    }
    self.init(epoch: epoch, number: number)
  }

  var description: String { "\(epoch).\(number)" }
}
