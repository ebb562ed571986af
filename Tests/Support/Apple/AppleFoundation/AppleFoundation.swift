// swift-format-ignore-file

// Names of Foundation, in place of `import Foundation` in the branches for Apple's systems: this
// system's Foundation also exports its C library, which would hide that a name of `Darwin` is missing.
import Foundation

// Apple's Foundation exports Dispatch and the system's C library.
@_exported import AppleDispatch
@_exported import Darwin

public typealias Data = Foundation.Data
public typealias Date = Foundation.Date
public typealias URL = Foundation.URL
public typealias UUID = Foundation.UUID
public typealias Decimal = Foundation.Decimal
public typealias FileManager = Foundation.FileManager
public typealias TimeZone = Foundation.TimeZone
public typealias Locale = Foundation.Locale
public typealias Calendar = Foundation.Calendar
public typealias JSONEncoder = Foundation.JSONEncoder
public typealias JSONDecoder = Foundation.JSONDecoder
public typealias ProcessInfo = Foundation.ProcessInfo
public typealias FileHandle = Foundation.FileHandle
public typealias PropertyListEncoder = Foundation.PropertyListEncoder
public typealias PropertyListDecoder = Foundation.PropertyListDecoder
public typealias NSLock = Foundation.NSLock
public typealias Process = Foundation.Process
public typealias Bundle = Foundation.Bundle
public typealias Thread = Foundation.Thread
public typealias ComparisonResult = Foundation.ComparisonResult

// The class of Apple's Foundation, which this system's lacks.
// <https://developer.apple.com/documentation/foundation/undomanager>
@MainActor
open class UndoManager {
  public nonisolated init() {}

  @preconcurrency
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping @MainActor (TargetType) -> Void
  ) {}

  open func setActionName(_ actionName: String) {}
}
