extension String { fileprivate var rot13: String { self } }
