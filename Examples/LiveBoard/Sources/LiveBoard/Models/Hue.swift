import Apus

/// A colour of the palette, for tags and people.
enum Hue: String, ColumnValue, Codable, CaseIterable {
  case red, orange, green, teal, blue, violet, pink
}
