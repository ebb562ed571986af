@testable import LiveBoard
