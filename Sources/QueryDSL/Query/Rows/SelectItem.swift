import SQLCore

/// A selected item and the way to read it; programs do not use it directly.
public struct _SelectItem<Output>: Sendable {
  let term: SelectStatement.SelectTerm
  let part: RowPart
  let columns: @Sendable () throws -> [ResultColumn]
}

extension _SelectItem {
  /// The SELECT clause with only this item, and the way to read its rows.
  var clause: ([SelectStatement.SelectTerm], RowDecoding<Output>) {
    var parts = RowParts()
    parts.append(part)
    return ([term], .parts(parts, columns: columns))
  }
}
