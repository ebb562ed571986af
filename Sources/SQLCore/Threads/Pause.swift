#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Blocks the calling thread for less than a second.
package func pause(nanoseconds: UInt64) {
  var time = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, 999_999_999)))
  nanosleep(&time, nil)
}
