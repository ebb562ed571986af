import SQLCore

extension Translator {
  /// Translates `strftime(format, seconds, 'unixepoch', …)`, which typed queries write for dates.
  /// - SeeAlso: <https://www.sqlite.org/lang_datefunc.html>
  func strftime(_ call: Call) throws -> Term {
    var texts: [String] = []
    for (index, argument) in call.arguments.enumerated() where index != 1 {
      guard case .text(let text)? = argument.constant else {
        throw unsupported("strftime has a computed format or modifier", "write it as a value")
      }
      texts.append(text)
    }
    let date = call.arguments[1]
    guard date.kind == .integer || date.kind == .null, texts.count > 1, texts[1] == "unixepoch"
    else {
      throw unsupported(
        "strftime gets a date that is no number of seconds since 1970",
        "store dates in the standard form, or as .unixEpoch or .unixMilliseconds")
    }
    let seconds = date.kind == .null ? "CAST(NULL AS BIGINT)" : date.sql
    var time = once([seconds]) { "apus_time(\($0[0]))" }
    for modifier in texts.dropFirst(2) { time = try modified(time, modifier) }
    if texts.count > 2 { time = once([time]) { "apus_valid(\($0[0]))" } }
    if texts[0] == "%s" {
      var term = Term("CAST(CAST(floor(epoch(\(time))) AS BIGINT) AS VARCHAR)", .text)
      term.integerForm = "CAST(floor(epoch(\(time))) AS BIGINT)"
      return term
    }
    var isKnown = true
    var isDirective = false
    for character in texts[0] {
      if isDirective { isKnown = isKnown && "YmdHMSwj%".contains(character) }
      isDirective = character == "%" && !isDirective
    }
    guard isKnown, !isDirective else {
      throw unsupported(
        "strftime has the format \(texts[0])", "use %Y %m %d %H %M %S %w %j %s and %%")
    }
    var term = Term("strftime(\(time), \(texts[0].quotedText))", .text)
    let parts = [
      "%Y": "year", "%m": "month", "%d": "day", "%H": "hour", "%M": "minute", "%S": "second",
      "%w": "dow", "%j": "doy",
    ]
    if let part = parts[texts[0]] { term.integerForm = "date_part('\(part)', \(time))" }
    return term
  }

  private func modified(_ time: String, _ modifier: String) throws -> String {
    switch modifier {
    case "start of day": return "date_trunc('day', \(time))"
    case "start of month": return "date_trunc('month', \(time))"
    case "start of year": return "date_trunc('year', \(time))"
    default: break
    }
    let words = modifier.split(separator: " ")
    guard words.count == 2 else { throw unknown(modifier) }
    if words[0] == "weekday", let day = Int(words[1]), (0...6).contains(day) {
      return once([time]) { "apus_weekday(\($0[0]), \(day))" }
    }
    guard let count = Int32(words[0]) else { throw unknown(modifier) }
    let unit = words[1].hasSuffix("s") ? String(words[1]) : words[1] + "s"
    switch unit {
    case "days", "hours", "minutes", "seconds": return "(\(time) + to_\(unit)(\(count)))"
    // If a month is too short, for example for the 31st, SQLite continues counting in the next
    // month.
    case "months": return once([time]) { "apus_months(\($0[0]), \(count))" }
    case "years":
      guard count.magnitude < 100_000 else { throw unknown(modifier) }
      return once([time]) { "apus_months(\($0[0]), \(count * 12))" }
    default: throw unknown(modifier)
    }
  }

  private func unknown(_ modifier: String) -> AnalyticsError {
    unsupported("strftime has the modifier \(modifier)", "compute the date in Swift")
  }
}
