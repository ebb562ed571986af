import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type that a number cannot be compared with; programs do not use it directly.
public protocol NotANumber {}

extension String: NotANumber {}
extension Bool: NotANumber {}
extension Date: NotANumber {}
extension URL: NotANumber {}
extension UUID: NotANumber {}
extension Data: NotANumber {}
extension Optional: NotANumber where Wrapped: NotANumber {}
