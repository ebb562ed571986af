// swift-format-ignore-file

// Processes, signals, the terminal and sockets; see Files.swift.

public func exit(_ code: Int32) -> Never { fatalError("a declaration for the type checker") }
@discardableResult
public func usleep(_ microseconds: UInt32) -> Int32 { 0 }
public func getpid() -> pid_t { 0 }
@discardableResult
public func kill(_ process: pid_t, _ signal: Int32) -> Int32 { 0 }
@discardableResult
public func waitpid(_ process: pid_t, _ status: UnsafeMutablePointer<Int32>!, _ options: Int32)
  -> pid_t
{ 0 }
@discardableResult
public func pipe(_ ends: UnsafeMutablePointer<Int32>!) -> Int32 { 0 }
@discardableResult
public func setrlimit(_ kind: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { 0 }

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
@discardableResult
public func posix_spawn_file_actions_init(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32 { 0 }
@discardableResult
public func posix_spawn_file_actions_destroy(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32 { 0 }
@discardableResult
public func posix_spawn_file_actions_adddup2(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ old: Int32, _ new: Int32
) -> Int32 { 0 }
@discardableResult
public func posix_spawn_file_actions_addclose(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ descriptor: Int32
) -> Int32 { 0 }
@discardableResult
public func posix_spawn(
  _ process: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!,
  _ actions: UnsafePointer<posix_spawn_file_actions_t?>!,
  _ attributes: UnsafePointer<posix_spawnattr_t?>!,
  _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { 0 }
public func strdup(_ text: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }

// MARK: Signals

public typealias sig_t = @convention(c) (Int32) -> Void
public typealias sigset_t = UInt32
public let SIGINT: Int32 = 2
public let SIGKILL: Int32 = 9
public let SIGPIPE: Int32 = 13
public let SIGTERM: Int32 = 15
public let SIGUSR1: Int32 = 30
public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { { _ in } }
@discardableResult
public func signal(_ signal: Int32, _ handler: sig_t!) -> sig_t! { nil }
@discardableResult
public func raise(_ signal: Int32) -> Int32 { 0 }
public let SIG_UNBLOCK: Int32 = 2
@discardableResult
public func sigemptyset(_ signals: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }
@discardableResult
public func sigaddset(_ signals: UnsafeMutablePointer<sigset_t>!, _ signal: Int32) -> Int32 { 0 }
@discardableResult
public func pthread_sigmask(
  _ how: Int32, _ signals: UnsafePointer<sigset_t>!, _ old: UnsafeMutablePointer<sigset_t>!
) -> Int32 { 0 }
@discardableResult
public func pthread_kill(_ thread: pthread_t, _ signal: Int32) -> Int32 { 0 }

public struct __sigaction_u {
  public var __sa_handler: sig_t!
  public init() {}
}
public struct sigaction {
  public var __sigaction_u: Darwin.__sigaction_u
  public var sa_mask: sigset_t
  public var sa_flags: Int32
  public init() { (__sigaction_u, sa_mask, sa_flags) = (Darwin.__sigaction_u(), 0, 0) }
}

// MARK: The terminal

public let STDIN_FILENO: Int32 = 0
public let STDOUT_FILENO: Int32 = 1
public let STDERR_FILENO: Int32 = 2
public let F_SETFD: Int32 = 2
public let FD_CLOEXEC: Int32 = 1
public struct winsize {
  public var ws_row: UInt16
  public var ws_col: UInt16
  public var ws_xpixel: UInt16
  public var ws_ypixel: UInt16
  public init() { (ws_row, ws_col, ws_xpixel, ws_ypixel) = (0, 0, 0, 0) }
}
public var TIOCGWINSZ: UInt { 0x4008_7468 }
@discardableResult
public func ioctl(_ descriptor: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer) -> Int32 {
  0
}
@discardableResult
public func isatty(_ descriptor: Int32) -> Int32 { 0 }

// MARK: Folders

@discardableResult
public func chdir(_ path: UnsafePointer<CChar>!) -> Int32 { 0 }

// MARK: Sockets

public let SOL_SOCKET: Int32 = 0xffff
public let SO_RCVBUF: Int32 = 0x1002
@discardableResult
public func setsockopt(
  _ socket: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer!, _ size: socklen_t
) -> Int32 { 0 }
public let AF_UNIX: Int32 = 1
public let AF_INET: Int32 = 2
public let SOCK_STREAM: Int32 = 1
public let SHUT_RDWR: Int32 = 2
public let MSG_PEEK: Int32 = 2
public let POLLIN: Int32 = 1
public let ECONNREFUSED: Int32 = 61
public let ECONNRESET: Int32 = 54
public let ETIMEDOUT: Int32 = 60

public struct sockaddr {
  public var sa_len: UInt8
  public var sa_family: sa_family_t
  public init() { (sa_len, sa_family) = (0, 0) }
}
public struct sockaddr_un {
  public var sun_len: UInt8
  public var sun_family: sa_family_t
  /// As long as Apple's, 104 bytes.
  public var sun_path:
    (
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
      UInt64,
      UInt64
    )
  public init() {
    (sun_len, sun_family) = (0, 0)
    sun_path = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  }
}
public struct in_addr {
  public var s_addr: UInt32
  public init() { s_addr = 0 }
}
public struct sockaddr_in {
  public var sin_len: UInt8
  public var sin_family: sa_family_t
  public var sin_port: UInt16
  public var sin_addr: in_addr
  public init() { (sin_len, sin_family, sin_port, sin_addr) = (0, 0, 0, in_addr()) }
}
public func inet_addr(_ text: UnsafePointer<CChar>!) -> UInt32 { 0 }
public struct pollfd {
  public var fd: Int32
  public var events: Int16
  public var revents: Int16
  public init(fd: Int32, events: Int16, revents: Int16) {
    (self.fd, self.events, self.revents) = (fd, events, revents)
  }
}
@discardableResult
public func socket(_ family: Int32, _ kind: Int32, _ protocol: Int32) -> Int32 { 0 }
@discardableResult
public func socketpair(
  _ family: Int32, _ kind: Int32, _ protocol: Int32, _ ends: UnsafeMutablePointer<Int32>!
) -> Int32 { 0 }
@discardableResult
public func bind(_ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t) -> Int32 {
  0
}
@discardableResult
public func connect(
  _ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t
) -> Int32 { 0 }
@discardableResult
public func listen(_ socket: Int32, _ count: Int32) -> Int32 { 0 }
@discardableResult
public func accept(
  _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!,
  _ size: UnsafeMutablePointer<socklen_t>!
) -> Int32 { 0 }
@discardableResult
public func shutdown(_ socket: Int32, _ how: Int32) -> Int32 { 0 }
@discardableResult
public func send(_ socket: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int {
  0
}
@discardableResult
public func recv(_ socket: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32)
  -> Int
{ 0 }
@discardableResult
public func poll(_ sockets: UnsafeMutablePointer<pollfd>!, _ count: UInt32, _ timeout: Int32)
  -> Int32
{ 0 }
