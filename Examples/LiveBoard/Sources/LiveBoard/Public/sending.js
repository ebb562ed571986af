// The forms, which are sent without leaving the page.

import { finishCardForm } from "/dialog.js";
import { forget } from "/drafts.js";
import { announce, byID, focusOn, post, reasonOf, successor, toast } from "/page.js";
import { choose, hidingTag } from "/view.js";

export async function move(card, list, before) {
  const answer = await post(`/cards/${card.dataset.id}/move`, {
    list, before: before?.dataset.id ?? "",
  });
  if (!answer?.ok) return toast(await reasonOf(answer));
  const name = byID(`name-${list}`)?.textContent ?? "";
  announce(`Moved ${card.querySelector(".card-link").textContent} to ${name}`);
}

// What this page asked for last, so that it shows it once it is there: the list that gets a card, and
// whether it adds a list.
export const own = { card: null, list: false };

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method !== "post" || form.matches(".me")) return;
  event.preventDefault();
  // Keys that repeat do not send a form twice.
  if (form.dataset.busy) return;
  form.dataset.busy = "true";
  await send(form, event.submitter);
  delete form.dataset.busy;
});

async function send(form, submitter) {
  const fields = new FormData(form, submitter);
  const isCard = form.matches(".card-form");
  const isDeletion = submitter?.matches(".danger");
  let path = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  // The text of a card that was deleted meanwhile becomes a new card.
  if (form.hasAttribute("data-gone") && !isDeletion) path = `/lists/${fields.get("list")}/cards`;
  const subject = isCard ? byID(`card-${form.dataset.card}`) : form.closest(".list");
  const found = form.closest("dialog") && document.querySelector(`.found[data-id="${form.dataset.card}"]`);
  const heir = isDeletion && subject && successor(found ?? subject);
  if (form.matches(".add")) own.card = form.closest(".list").dataset.id;
  if (form.matches(".add-list")) own.list = true;
  if (isDeletion) form.dataset.deleting = "true";
  const answer = await post(path, new URLSearchParams(fields));
  if (isCard) return finishCardForm(form, answer, isDeletion, heir);
  if (!answer?.ok) {
    own.card = null;
    own.list = false;
    return toast(await reasonOf(answer));
  }
  const outcome = answer.status === 200 ? await answer.json() : {};
  form.closest("[popover]")?.hidePopover();
  if (form.matches(".add, .add-list")) {
    form.reset();
    for (const field of form.elements) forget(field.id);
  }
  if (isDeletion) {
    focusOn(heir);
    return offerUndo(`Deleted the list “${subject.querySelector("h2").textContent}”.`, outcome.step);
  }
  const tag = form.matches(".add") && hidingTag();
  if (tag) toastHidden("Added", fields.get("title"), tag);
  if (outcome.html) toast(document.createRange().createContextualFragment(outcome.html));
}

export function offerUndo(sentence, step) {
  if (step == null) return toast(sentence);
  toast(sentence, "Undo", async () => {
    const answer = await post("/undo", { step });
    if (!answer?.ok) return toast(await reasonOf(answer));
    toast(document.createRange().createContextualFragment((await answer.json()).html));
  });
}

export function toastHidden(verb, title, tag) {
  toast(`${verb} “${title}”, which the tag “${tag}” hides.`, "Show all cards", () => choose(null));
}
