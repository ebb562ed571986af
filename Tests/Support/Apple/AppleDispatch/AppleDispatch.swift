// swift-format-ignore-file

// Names of Dispatch, in place of `import Dispatch`; see AppleFoundation.swift.
import Dispatch

public typealias DispatchQueue = Dispatch.DispatchQueue
public typealias DispatchSource = Dispatch.DispatchSource
public typealias DispatchGroup = Dispatch.DispatchGroup
public typealias DispatchSemaphore = Dispatch.DispatchSemaphore
public typealias DispatchTime = Dispatch.DispatchTime
public typealias DispatchTimeInterval = Dispatch.DispatchTimeInterval
public typealias DispatchSourceProtocol = Dispatch.DispatchSourceProtocol

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  time
}

// <https://developer.apple.com/documentation/dispatch/dispatchsourcefilesystemobject>
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol, Sendable {}

extension DispatchSource {
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: DispatchSource.FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { fatalError("a declaration for the type checker") }
}

public func dispatchMain() -> Never { Dispatch.dispatchMain() }
