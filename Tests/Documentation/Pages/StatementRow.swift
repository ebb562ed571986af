private struct Hash { mutating func update(_ bytes: borrowing Span<UInt8>) {} }
nonisolated(unsafe) private var hasher = Hash()
