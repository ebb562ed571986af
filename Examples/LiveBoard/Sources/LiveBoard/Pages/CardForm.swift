import Apus

/// The form in which a card is read and edited. With JavaScript, it is shown in a dialog, and
/// without, as a page of its own.
struct CardForm {
  let face: CardFace
  let tags: [Tag]
  let lists: [BoardList]
  let people: [Person]
  /// The texts that were sent but not saved, because another edit had changed the card.
  var draft: Draft?

  /// Texts of a card that were not saved.
  struct Draft: Sendable {
    var title: String
    var notes: String
    var tags: String
  }

  var html: HTML {
    let card = face.card
    return """
      <form class="card-form" method="post" action="/cards/\(card.id)" data-card="\(card.id)" \
      aria-labelledby="form-heading">
      <input type="hidden" name="version" value="\(card.version)">
      <p class="overline" id="form-heading">Card in <span dir="auto">\(face.listName)</span></p>
      \(conflict)
      <p class="form-error" role="alert" hidden></p>
      <p class="notice" role="status" hidden></p>
      <p class="draft-note" hidden>This is your draft; it is not saved yet. \
      <button type="button" class="discard">Discard it</button></p>
      <label for="f-title">Title</label>
      <input id="f-title" name="title" value="\(draft?.title ?? card.title)" required \
      maxlength="\(Limits.title)" dir="auto" autocomplete="off">
      <label for="f-notes">Notes</label>
      <textarea id="f-notes" name="notes" rows="7" maxlength="\(Limits.notes)" \
      dir="auto">
      \(draft?.notes ?? card.notes)</textarea>
      <label for="f-tags">Tags <span class="hint">separated by commas</span></label>
      <input id="f-tags" name="tags" \
      value="\(draft?.tags ?? tags.map(\.name).joined(separator: ", "))" dir="auto" autocomplete="off">
      <div class="pair">
      <div><label for="f-list">List</label>
      <select id="f-list" name="list">\(lists.map { list in
        "<option value=\"\(list.id)\"\(" selected", if: list.id == card.listID)>\(list.name)</option>"
          as HTML
      })</select></div>
      <div><label for="f-person">Assigned to</label>
      <select id="f-person" name="assignee"><option value="">Nobody</option>\(people.map { person in
        """
        <option value="\(person.id)"\(" selected", if: person.id == card.assigneeID)>\(person.name)\
        </option>
        """ as HTML
      })</select></div>
      </div>
      <div class="form-foot">
      <button class="primary" aria-keyshortcuts="Control+Enter" title="Control+Enter">Save</button>
      <a class="button cancel" href="/">Cancel</a>
      <button class="danger" formaction="/cards/\(card.id)/delete" formnovalidate>Delete</button>
      </div>
      </form>
      """
  }

  /// The page of the form.
  func page(for person: Person?) -> HTML {
    Layout(
      title: "\(face.card.title) · Live Board", person: person,
      content:
        "<main id=\"main\" class=\"single\"><h1 class=\"hidden\">Edit a card</h1>\(html)</main>"
    ).html
  }

  private var conflict: HTML {
    guard draft != nil else { return "" }
    return """
      <div class="conflict" role="alert">
      <strong>This card was changed while you were editing it.</strong>
      <p>Nothing was saved. Below is your text; the card now is:</p>
      <blockquote><p class="theirs-title" dir="auto">\(face.card.title)</p>\
      <p class="theirs-notes" dir="auto">\(face.card.notes)</p>\(TagList(tags: tags).html)</blockquote>
      <p>“Save” replaces it by yours.</p>
      <a class="button reload" href="/cards/\(face.id)">Discard mine and edit theirs</a>
      </div>
      """
  }
}
