import OpenCombine
nonisolated(unsafe) private var cancellables: Set<AnyCancellable> = []
