private let tour: Columns<Tour> = unavailable()
private var seat: Columns<Seat> { unavailable() }
