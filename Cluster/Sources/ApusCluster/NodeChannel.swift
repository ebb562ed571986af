import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SQLCore

/// A connection to one node. A request is sent only after the previous request was answered.
///
/// The thread that sends a request also waits for its answer.
///
/// `@unchecked Sendable`: a lock guards the answers. The thread that opens the channel sets
/// `isAbandoned` before other threads use the channel. All other properties are constant.
final class NodeChannel: @unchecked Sendable {
  let address: String
  /// Returns whether it is useless to wait for an answer any longer. It is called when the node has
  /// not answered for a second, and then every second.
  var isAbandoned: () -> Bool = { false }
  private let channel: any Channel
  private let inbox: Inbox

  private init(_ address: String, _ channel: any Channel, _ inbox: Inbox) {
    self.address = address
    self.channel = channel
    self.inbox = inbox
  }

  /// Connects to a node, and sends the handshake: the version of the protocol.
  static func connect(
    to address: String, tls: NIOSSLContext?, serverName: String?, timeout: Duration
  ) throws -> NodeChannel {
    let (host, port) = try NodeAddress.parse(address)
    let serverName = serverName ?? NodeAddress.serverName(host)
    let inbox = Inbox(of: address)
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.nanoseconds(timeout.nanoseconds))
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .keepingAlive()
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: serverName)
            try channel.pipeline.syncOperations.addHandler(handler)
          }
          try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(ResponseDecoder()), InboxHandler(inbox))
        }
      }
    do {
      let channel = try bootstrap.connect(host: host, port: port).wait()
      inbox.attach(channel)
      var handshake = channel.allocator.buffer(capacity: 8)
      handshake.writeWord(1)
      channel.writeAndFlush(handshake, promise: nil)
      return NodeChannel(address, channel, inbox)
    } catch {
      throw RemoteSessionError(
        outcome: .notRun, message: "the node \(address) cannot be reached: \(error)")
    }
  }

  var isOpen: Bool { channel.isActive }

  func close() {
    channel.close(promise: nil)
  }

  /// Sends a request.
  func send(_ request: Request) throws {
    var buffer = channel.allocator.buffer(capacity: 256)
    try request.write(to: &buffer)
    channel.writeAndFlush(buffer, promise: nil)
  }

  /// Asks the node for the leader. Returns its address, as the nodes know it; empty if the node
  /// knows no leader.
  func askLeader(isStopped: () -> Bool) throws -> String {
    try send(.leader)
    let response = try receive(isStopped: isStopped)
    guard response.kind == .server else { throw ProtocolError.unexpected(response.type) }
    var answer = WireReader(response.body)
    _ = try answer.readWord()
    return try answer.readText()
  }

  /// Waits for the next answer. If the wait is stopped, this closes the channel. Otherwise, the
  /// answer could arrive later and be taken for the answer to another request.
  func receive(isStopped: () -> Bool) throws -> Response {
    do {
      return try inbox.take(isStopped: isStopped, isAbandoned: isAbandoned)
    } catch {
      close()
      throw error
    }
  }
}

/// The answers that were received from a node and not yet read.
final class Inbox: @unchecked Sendable {
  private let address: String
  private let condition = NSCondition()
  private var responses: [Response] = []
  private var next = 0
  private var byteCount = 0
  private var isPaused = false
  private var end: (any Error)?
  private var channel: (any Channel)?

  /// The limit of the number of bytes in unread answers. Above this limit, the channel receives
  /// nothing more from the node.
  private static let maximumByteCount = 4 << 20

  init(of address: String) { self.address = address }

  func attach(_ channel: any Channel) {
    condition.withLock { self.channel = channel }
  }

  func put(_ response: Response) {
    condition.withLock {
      responses.append(response)
      byteCount += response.body.readableBytes
      if byteCount > Self.maximumByteCount, !isPaused {
        isPaused = true
        _ = channel?.setOption(.autoRead, value: false)
      }
      condition.signal()
    }
  }

  func finish(_ error: (any Error)?) {
    condition.withLock {
      if end == nil {
        end = RemoteSessionError(
          outcome: .unknown,
          message: error.map { "the connection to the node was lost: \($0)" }
            ?? "the node closed the connection")
      }
      channel = nil
      condition.signal()
    }
  }

  func take(isStopped: () -> Bool, isAbandoned: () -> Bool) throws -> Response {
    var nextQuestion = ContinuousClock.now + .seconds(1)
    while true {
      condition.lock()
      defer { condition.unlock() }
      if next < responses.count {
        let response = responses[next]
        next += 1
        byteCount -= response.body.readableBytes
        if next == responses.count {
          responses.removeAll(keepingCapacity: true)
          next = 0
        }
        if isPaused, byteCount < Self.maximumByteCount / 2 {
          isPaused = false
          if let channel {
            _ = channel.setOption(.autoRead, value: true).map { channel.read() }
          }
        }
        return response
      }
      if let end { throw end }
      if !condition.wait(until: Date(timeIntervalSinceNow: 0.02)) {
        condition.unlock()
        let stops = isStopped()
        let isDue = !stops && ContinuousClock.now > nextQuestion
        let isAlone = isDue && isAbandoned()
        if isDue { nextQuestion = ContinuousClock.now + .seconds(1) }
        condition.lock()
        if stops {
          throw RemoteSessionError(outcome: .unknown, message: "the wait for the node was stopped")
        }
        if isAlone, next == responses.count, end == nil {
          throw RemoteSessionError(
            outcome: .unknown,
            message: "the node \(address) does not answer, and another one leads",
            allowsRetry: false)
        }
      }
    }
  }
}

extension ClientBootstrap {
  /// Sets options so that the system closes the connection about ten seconds after the other side
  /// has vanished.
  fileprivate func keepingAlive() -> ClientBootstrap {
    #if os(Linux)
      let options = [(TCP_KEEPIDLE, 4), (TCP_KEEPINTVL, 2), (TCP_KEEPCNT, 3)]
      return options.reduce(self) { bootstrap, option in
        bootstrap.channelOption(
          .tcpOption(NIOBSDSocket.Option(rawValue: option.0)), value: SocketOptionValue(option.1))
      }
    #else
      return self
    #endif
  }
}

private final class InboxHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = Response
  private let inbox: Inbox

  init(_ inbox: Inbox) {
    self.inbox = inbox
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    inbox.put(unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) {
    inbox.finish(nil)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    inbox.finish(error)
    context.close(promise: nil)
  }
}

/// Splits the bytes of a node into answers.
private struct ResponseDecoder: ByteToMessageDecoder {
  typealias InboundOut = Response

  mutating func decode(
    context: ChannelHandlerContext, buffer: inout ByteBuffer
  ) throws -> DecodingState {
    let start = buffer.readerIndex
    guard
      let words = buffer.getInteger(at: start, endianness: .little, as: UInt32.self),
      let type = buffer.getInteger(at: start + 4, as: UInt8.self),
      buffer.readableBytes >= 8
    else { return .needMoreData }
    // On a system of 32 bits, the length may exceed the largest `Int`.
    guard let count = Int(exactly: UInt64(words) * 8) else { throw ProtocolError.truncated }
    guard buffer.readableBytes - 8 >= count else { return .needMoreData }
    buffer.moveReaderIndex(forwardBy: 8)
    guard let body = buffer.readSlice(length: count) else { return .needMoreData }
    context.fireChannelRead(wrapInboundOut(Response(type: type, body: body)))
    return .continue
  }
}

extension Duration {
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

enum NodeAddress {
  /// Splits an address, `host:port` or `[IPv6]:port`.
  static func parse(_ address: String) throws -> (host: String, port: Int) {
    guard let colon = address.lastIndex(of: ":"),
      let port = Int(address[address.index(after: colon)...]), (1...65_535).contains(port),
      colon > address.startIndex
    else {
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(address.debugDescription) is not the address of a node; write it as "
          + "\"10.0.0.1:9001\"")
    }
    let host = address[..<colon]
    return (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), port)
  }

  /// Returns the name that the certificate of a host must have; nil for an IP address, which TLS
  /// compares with the address of the connection.
  static func serverName(_ host: String) -> String? {
    let isAddress = host.contains(":") || (try? SocketAddress(ipAddress: host, port: 0)) != nil
    return isAddress ? nil : host
  }
}
