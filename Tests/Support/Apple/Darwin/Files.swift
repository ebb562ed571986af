// swift-format-ignore-file

// The declarations of Apple's module `Darwin` that this project uses, as Swift imports them.
// `Scripts/Checks/apple` compiles the branches for Apple's systems against them, on any system. They
// have no bodies to run. `headers.c` declares the same in C; `Scripts/Checks/apple --headers` compares it
// with Apple's headers. How Swift shows a declaration of C (`S_IFREG` as a `mode_t`, `errno`, `fcntl`
// and `open` without variable arguments) is that of swift-corelibs' and Swift's `Platform.swift`.

// The function `stat`, which Swift allows beside the structure of its name only from another module.
@_exported import DarwinStatus

public typealias mode_t = UInt16
public typealias dev_t = Int32
public typealias ino_t = UInt64
public typealias rlim_t = UInt64
public typealias pid_t = Int32
public typealias sa_family_t = UInt8
public typealias socklen_t = UInt32
public typealias uuid_t = (
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
  UInt8, UInt8
)

public var errno: Int32 {
  get { 0 }
  set {}
}

public let EACCES: Int32 = 13
public let EAGAIN: Int32 = 35
public let EDQUOT: Int32 = 69
public let EEXIST: Int32 = 17
public let EINTR: Int32 = 4
public let EINVAL: Int32 = 22
public let EIO: Int32 = 5
public let ELOOP: Int32 = 62
public let EMFILE: Int32 = 24
public let ENAMETOOLONG: Int32 = 63
public let ENFILE: Int32 = 23
public let ENOENT: Int32 = 2
public let ENOMEM: Int32 = 12
public let ENOSPC: Int32 = 28
public let ENOTSUP: Int32 = 45
public let EOPNOTSUPP: Int32 = 102
public let EPERM: Int32 = 1
public let EPIPE: Int32 = 32
public let EROFS: Int32 = 30

public func strerror(_ code: Int32) -> UnsafeMutablePointer<CChar>! { nil }

// MARK: Files

public let O_RDONLY: Int32 = 0x0000
public let O_RDWR: Int32 = 0x0002
public let O_CREAT: Int32 = 0x0200
public let O_EXCL: Int32 = 0x0800
public let O_EVTONLY: Int32 = 0x8000
public let O_CLOEXEC: Int32 = 0x100_0000
public let F_FULLFSYNC: Int32 = 51
public let PATH_MAX: Int32 = 1024

public let S_IFMT: mode_t = 0o170000
public let S_IFIFO: mode_t = 0o010000
public let S_IFCHR: mode_t = 0o020000
public let S_IFDIR: mode_t = 0o040000
public let S_IFBLK: mode_t = 0o060000
public let S_IFREG: mode_t = 0o100000
public let S_IFLNK: mode_t = 0o120000
public let S_IFSOCK: mode_t = 0o140000

public struct timespec {
  public var tv_sec: Int
  public var tv_nsec: Int
  public init() { (tv_sec, tv_nsec) = (0, 0) }
  public init(tv_sec: Int, tv_nsec: Int) { (self.tv_sec, self.tv_nsec) = (tv_sec, tv_nsec) }
}

public struct stat {
  public var st_dev: dev_t
  public var st_mode: mode_t
  public var st_ino: ino_t
  public var st_size: Int64
  public init() { (st_dev, st_mode, st_ino, st_size) = (0, 0, 0, 0) }
}

@discardableResult
public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 {
  0
}
@discardableResult
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { 0 }
@discardableResult
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
@discardableResult
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
@discardableResult
public func close(_ descriptor: Int32) -> Int32 { 0 }
@discardableResult
public func dup(_ descriptor: Int32) -> Int32 { 0 }
@discardableResult
public func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int {
  0
}
@discardableResult
public func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int { 0 }
@discardableResult
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { 0 }
@discardableResult
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
public let R_OK: Int32 = 4
public let W_OK: Int32 = 2
public let X_OK: Int32 = 1
@discardableResult
public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32 { 0 }
@discardableResult
public func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32 { 0 }
@discardableResult
public func fsync(_ descriptor: Int32) -> Int32 { 0 }
@discardableResult
public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { 0 }
@discardableResult
public func rename(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 { 0 }
@discardableResult
public func link(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 { 0 }
@discardableResult
public func readlink(
  _ path: UnsafePointer<CChar>!, _ buffer: UnsafeMutablePointer<CChar>!, _ count: Int
) -> Int { 0 }
@discardableResult
public func realpath(
  _ path: UnsafePointer<CChar>!, _ resolved: UnsafeMutablePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { nil }
@discardableResult
public func getcwd(
  _ buffer: UnsafeMutablePointer<CChar>!, _ size: Int
) -> UnsafeMutablePointer<CChar>! { nil }

public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }

public struct rlimit {
  public var rlim_cur: rlim_t
  public var rlim_max: rlim_t
  public init() { (rlim_cur, rlim_max) = (0, 0) }
}
public let RLIMIT_NOFILE: Int32 = 8
@discardableResult
public func getrlimit(_ kind: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { 0 }

// MARK: Memory

public func realloc(
  _ pointer: UnsafeMutableRawPointer!, _ size: Int
) -> UnsafeMutableRawPointer! { nil }
public func free(_ pointer: UnsafeMutableRawPointer!) {}
@discardableResult
public func memcpy(
  _ to: UnsafeMutableRawPointer!, _ from: UnsafeRawPointer!, _ count: Int
) -> UnsafeMutableRawPointer! { nil }
@discardableResult
public func memcmp(
  _ first: UnsafeRawPointer!, _ second: UnsafeRawPointer!, _ count: Int
) -> Int32 { 0 }
@discardableResult
public func memset(
  _ bytes: UnsafeMutableRawPointer!, _ value: Int32, _ count: Int
) -> UnsafeMutableRawPointer! { nil }
public func strcmp(
  _ first: UnsafePointer<CChar>!, _ second: UnsafePointer<CChar>!
) -> Int32 { 0 }
public func strlen(_ text: UnsafePointer<CChar>!) -> Int { 0 }

// MARK: Text

@discardableResult
public func vsnprintf(
  _ text: UnsafeMutablePointer<CChar>!, _ size: Int, _ format: UnsafePointer<CChar>!,
  _ arguments: CVaListPointer
) -> Int32 { 0 }

// MARK: Time

public struct clockid_t: RawRepresentable, Equatable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public var CLOCK_REALTIME: clockid_t { clockid_t(0) }
public var CLOCK_MONOTONIC: clockid_t { clockid_t(6) }
public var CLOCK_MONOTONIC_RAW_APPROX: clockid_t { clockid_t(5) }
public func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 { 0 }
@discardableResult
public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 {
  0
}
@discardableResult
public func nanosleep(
  _ time: UnsafePointer<timespec>!, _ left: UnsafeMutablePointer<timespec>!
) -> Int32 { 0 }

// MARK: Threads

public struct _opaque_pthread_t {}
public struct pthread_attr_t {}
public struct pthread_mutex_t { public init() {} }
public struct pthread_mutexattr_t {}
public struct pthread_cond_t { public init() {} }
public struct pthread_condattr_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

@discardableResult
public func pthread_create(
  _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
  _ body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }
@discardableResult
public func pthread_detach(_ thread: pthread_t) -> Int32 { 0 }
public func pthread_self() -> pthread_t! { nil }
@discardableResult
public func pthread_mutex_init(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ attributes: UnsafePointer<pthread_mutexattr_t>?
) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_destroy(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
@discardableResult
public func pthread_cond_init(
  _ condition: UnsafeMutablePointer<pthread_cond_t>,
  _ attributes: UnsafePointer<pthread_condattr_t>?
) -> Int32 { 0 }
@discardableResult
public func pthread_cond_wait(
  _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>
) -> Int32 { 0 }
@discardableResult
public func pthread_cond_signal(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 { 0 }
@discardableResult
public func pthread_cond_broadcast(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 { 0 }
@discardableResult
public func pthread_cond_destroy(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 { 0 }
