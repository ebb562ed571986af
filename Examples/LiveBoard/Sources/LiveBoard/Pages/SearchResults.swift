import Apus

/// The best of the cards that a search found. The words that were found are marked.
struct SearchResults {
  let text: String
  let found: [FoundCard]
  /// The number of all cards that have the words.
  let total: Int

  var html: HTML {
    """
    <section class="results" aria-labelledby="results-heading">
    <h2 id="results-heading">\(heading)</h2>
    <ol>\(found.map(item))</ol>
    </section>
    """
  }

  private var heading: HTML {
    let words: HTML = "“<span dir=\"auto\">\(text)</span>”"
    if total > found.count { return "The best \(found.count) of \(total) cards with \(words)" }
    return switch total {
    case 0: "No card has \(words)"
    case 1: "1 card has \(words)"
    default: "\(total) cards have \(words)"
    }
  }

  private func item(_ found: FoundCard) -> HTML {
    """
    <li class="found" data-id="\(found.face.id)">
    <a class="card-link" href="/cards/\(found.face.id)" dir="auto">\(Self.marked(found.title))</a>
    <p dir="auto">\(Self.marked(found.notes))</p>
    <span class="place" dir="auto">\(found.face.listName)</span>
    </li>
    """
  }

  private static func marked(_ text: HighlightedText) -> HTML {
    HTML(
      trusted: text.marked {
        "<mark>\(HTML.escape($0))</mark>"
      } others: {
        HTML.escape($0)
      })
  }
}
