// swift-format-ignore-file

@discardableResult
public func stat<Status>(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Status>!)
  -> Int32
{
  0
}
@discardableResult
public func sigaction<Action>(
  _ signal: Int32, _ action: UnsafePointer<Action>!, _ old: UnsafeMutablePointer<Action>!
) -> Int32 { 0 }
