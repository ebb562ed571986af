import Foundation
import Synchronization

/// The last commit of each process, in memory that the processes share outside of the database.
///
/// A process stores the number of a commit after its write has returned. Whoever reads the number
/// and then begins to read from the database must find that commit there.
final class CommitMarks: @unchecked Sendable {
  // `@unchecked Sendable`: the memory holds atomic numbers only, and stays mapped as long as this
  // object lives.
  private let numbers: UnsafeMutablePointer<Atomic<Int>>
  private static let byteCount = 4_096

  /// Opens the shared memory, which the file at that path holds. Creates it if it does not exist.
  init(path: String) throws {
    let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    guard descriptor >= 0, ftruncate(descriptor, off_t(Self.byteCount)) == 0 else {
      throw Violation("the shared memory cannot be opened")
    }
    defer { Foundation.close(descriptor) }
    let memory = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else {
      throw Violation("the shared memory cannot be mapped")
    }
    // A file begins with zeros, which is how an atomic zero is stored.
    numbers = memory.assumingMemoryBound(to: Atomic<Int>.self)
  }

  deinit { munmap(numbers, Self.byteCount) }

  /// The number of the last commit of a process that is known to have returned.
  func last(of process: Int) -> Int { numbers[process].load(ordering: .acquiring) }

  /// Whether a process has found a violation.
  var hasFailed: Bool { numbers[Self.failure].load(ordering: .acquiring) != 0 }

  func fail() { numbers[Self.failure].store(1, ordering: .releasing) }

  private static let failure = 100

  /// Notes that a commit has returned.
  func committed(_ number: Int, by process: Int) {
    numbers[process].max(number, ordering: .acquiringAndReleasing)
  }
}
