// The dialog of a card, and the menus of the lists.

import { forget, isChanged, keep, restoreForm, showDrafts, textsOf } from "/drafts.js";
import { byID, dialog, elementOf, focusOn, headers, post, reasonOf, toast } from "/page.js";
import { offerUndo, toastHidden } from "/sending.js";
import { choose, hidingTag } from "/view.js";

// The selector of what gets the focus when the dialog closes.
let opener;

async function openCard(path, from) {
  const answer = await fetch(path, { headers }).catch(() => null);
  if (!answer?.ok) return toast(await reasonOf(answer));
  dialog.innerHTML = await answer.text();
  const form = dialog.querySelector("form");
  restoreForm(form);
  if (from) {
    opener = from.closest(".found")
      ? `.found[data-id="${form.dataset.card}"] a` : `#card-${form.dataset.card} a`;
  }
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  const title = dialog.querySelector("#f-title");
  title.focus();
  title.setSelectionRange(title.value.length, title.value.length);
  noticeInDialog();
  post(`${path}/read`);
}

export async function finishCardForm(form, answer, isDeletion, heir) {
  if (answer?.ok) {
    const title = form.elements.title.value;
    // An undo of a deletion brings back the draft as well.
    if (!isDeletion) forget(`card-${form.dataset.card}`);
    if (!dialog?.open) return location.assign("/");
    if (isDeletion) opener = heir;
    dialog.close();
    const outcome = answer.status === 200 ? await answer.json() : {};
    const tag = hidingTag(form.elements.tags.value);
    if (isDeletion) offerUndo(`Deleted “${title}”.`, outcome.step);
    else if (tag) toastHidden("Saved", title, tag);
    return;
  }
  delete form.dataset.deleting;
  if (answer?.status === 409 && answer.headers.get("Content-Type").startsWith("text/html")) {
    const fresh = elementOf(await answer.text());
    // A draft stays based on the version that its editor saw first, and so ends in this form again.
    fresh.dataset.base = form.dataset.base ?? form.elements.version.value;
    form.replaceWith(fresh);
    if (dialog) dialog.scrollTop = 0;
    return;
  }
  const error = form.querySelector(".form-error");
  error.textContent = await reasonOf(answer);
  error.hidden = false;
}

// Says in an open dialog that the card was changed or deleted by someone else meanwhile.
export function noticeInDialog() {
  const form = dialog.open && dialog.querySelector(".card-form");
  if (!form || form.dataset.deleting) return;
  const card = byID(`card-${form.dataset.card}`);
  const isOlder = card && Number(card.dataset.version) > Number(form.elements.version.value);
  form.toggleAttribute("data-gone", !card);
  form.querySelector(".primary").textContent = card ? "Save" : "Add as a new card";
  const notice = form.querySelector(".notice");
  notice.hidden = card && !isOlder;
  notice.textContent = card
    ? "This card was changed just now. If you save, you will see both texts."
    : "This card was deleted just now. You can add your text as a new card.";
}

// Closes the dialog without saving, and says where the texts are that were typed.
function closeDialog(discards) {
  const form = dialog.querySelector(".card-form");
  if (form && isChanged(form)) {
    const [path, name, texts] = [`/cards/${form.dataset.card}`, `card-${form.dataset.card}`, textsOf(form)];
    if (discards) forget(name);
    else keep(name, texts);
    toast(
      discards ? "Your changes were not saved." : "Your text is kept as a draft.",
      discards ? "Restore" : "Continue", () => {
        keep(name, texts);
        openCard(path);
      });
  }
  dialog.close();
}

if (dialog) {
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    closeDialog(false);
  });
  dialog.addEventListener("close", () => {
    focusOn(opener);
    dialog.replaceChildren();
    showDrafts();
  });
  // A click beside the dialog.
  dialog.addEventListener("mousedown", (event) => {
    if (event.target === dialog) closeDialog(false);
  });
}

document.addEventListener("click", (event) => {
  const form = event.target.matches(".discard") && event.target.form;
  if (!form) return;
  forget(`card-${form.dataset.card}`);
  if (dialog) openCard(form.getAttribute("action"));
  else location.reload();
});

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const link = event.target.closest("a");
  if (!link || !dialog) return;
  if (link.matches(".card-link")) {
    event.preventDefault();
    openCard(link.getAttribute("href"), link);
  } else if (link.matches(".reload") && dialog.open) {
    event.preventDefault();
    forget(`card-${dialog.querySelector(".card-form").dataset.card}`);
    openCard(link.getAttribute("href"));
  } else if (link.matches(".cancel") && dialog.open) {
    event.preventDefault();
    closeDialog(true);
  } else if (link.matches(".chip")) {
    event.preventDefault();
    choose(link.dataset.tag);
  }
});

// MARK: The menus of the lists

// A menu is above everything, so that no list cuts it. It stands below its button, within the window.
function placeMenu(menu) {
  const button = document.querySelector(`[popovertarget="${menu.id}"]`).getBoundingClientRect();
  const [width, height] = [document.documentElement.clientWidth, innerHeight];
  const margin = 8;
  const clamp = (wanted, most) => Math.max(margin, Math.min(wanted, most - margin));
  Object.assign(menu.style, {
    margin: 0,
    left: `${clamp(button.right - menu.offsetWidth, width - menu.offsetWidth)}px`,
    top: `${clamp(button.bottom + 4, height - menu.offsetHeight)}px`,
  });
}

document.addEventListener("toggle", (event) => {
  if (event.target.matches?.(".menu-body") && event.newState === "open") placeMenu(event.target);
}, true);

for (const name of ["scroll", "resize"]) {
  addEventListener(name, () => {
    const menu = document.querySelector(".menu-body:popover-open");
    if (menu) placeMenu(menu);
  }, true);
}
