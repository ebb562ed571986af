import Apus
import ApusHummingbird

/// The frame of every page.
struct Layout {
  let title: String
  var position: EventPosition?
  var person: Person?
  let content: HTML

  var html: HTML {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/board.css">
    <script src="/board.js" type="module"></script>
    </head>
    <body data-position="\(position?.description ?? "")" data-person="\(person?.id.text ?? "")">
    <a class="skip" href="#main">Skip to the content</a>
    \(content)
    </body>
    </html>

    """
  }
}

/// A page that says why a request was refused.
struct ErrorPage {
  let status: Int
  let phrase: String
  let reason: String

  var html: HTML {
    Layout(
      title: "\(phrase) · Live Board",
      content: """
        <main id="main" class="single">
        <p class="overline">\(status) · \(phrase)</p>
        <h1>That did not work</h1>
        <p class="reason" dir="auto">\(reason.prefix(1).uppercased() + reason.dropFirst()).</p>
        <p><a class="button" href="/">Back to the board</a></p>
        </main>
        """
    ).html
  }
}
