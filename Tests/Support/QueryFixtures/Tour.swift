import Foundation
import QueryDSL
import SQLCore

/// A model with a date in each stored form, and JSON.
struct Tour: Model, Equatable {
  struct Place: Codable, Equatable, Sendable {
    struct Address: Codable, Equatable, Sendable {
      var city: String
      var number: Int?
    }

    var name: String
    var address: Address?
    var seats: [Int]
    var isOpen: Bool
  }

  @PrimaryKey var id: Int
  @Column var begin: Date
  @Column var end: Date
  @Column var announced: Date?
  @Column var unix: Date
  @Column var reference: Date
  @Column var julian: Date
  @Column var place: JSON<Place>
  @Column var note: JSON<[String]>?

  static var schema: Schema<Tour> {
    Stored(\.$end, as: .iso8601)
    Stored(\.$announced, as: .iso8601)
    Stored(\.$unix, as: .unixSeconds)
    Stored(\.$reference, as: .referenceSeconds)
    Stored(\.$julian, as: .julianDay)
  }

  /// Makes a tour all of whose dates are the same moment.
  init(id: Int, _ date: Date, place: Place, note: JSON<[String]>? = nil) {
    self.id = id
    (begin, end, announced, unix, reference, julian) = (date, date, date, date, date, date)
    self.place = JSON(place)
    self.note = note
  }

  /// The calendar of the stored dates: Gregorian, in UTC.
  static let calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
