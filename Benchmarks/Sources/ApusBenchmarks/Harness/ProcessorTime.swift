import Foundation

/// The processor time of this process.
enum ProcessorTime {
  /// The time of all threads so far, in nanoseconds.
  static var ofProcess: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
