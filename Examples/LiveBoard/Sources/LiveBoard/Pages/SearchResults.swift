import Apus

/// The cards that a search found, with the words that were found marked.
struct SearchResults {
  let text: String
  let found: [FoundCard]

  var html: HTML {
    """
    <section class="results" aria-labelledby="results-heading">
    <h2 id="results-heading">\(heading)</h2>
    <ol>\(found.map(item))</ol>
    </section>
    """
  }

  private var heading: HTML {
    switch found.count {
    case 0: "No card has “<span dir=\"auto\">\(text)</span>”"
    case 1: "1 card has “<span dir=\"auto\">\(text)</span>”"
    default: "\(found.count) cards have “<span dir=\"auto\">\(text)</span>”"
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
