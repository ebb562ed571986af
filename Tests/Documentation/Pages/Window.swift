private let track: Columns<Track> = unavailable()
