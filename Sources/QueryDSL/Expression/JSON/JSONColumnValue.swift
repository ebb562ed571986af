import SQLCore

/// JSON of a Codable type, or an optional of it.
public protocol JSONColumnValue: ColumnValue {}

// The conformances stand beside the protocol: a dynamic cast to it then finds them in a program
// that is linked with a static archive, of which the linker takes only the files that are needed.
extension JSON: JSONColumnValue {}
extension Optional: JSONColumnValue where Wrapped: JSONColumnValue {}
