// What all parts of the script use: the elements of the page, requests, and sentences for people.

export const byID = (id) => document.getElementById(id);
export const lists = byID("lists");
export const dialog = byID("card-dialog");
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

// HTML of the server, in which every text is escaped.
export function elementOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
}

// MARK: Requests

export const headers = { Accept: "application/json", "X-Requested-With": "board" };

export async function post(path, fields = {}) {
  const body = fields instanceof URLSearchParams ? fields : new URLSearchParams(fields);
  return fetch(path, { method: "POST", body, headers }).catch(() => null);
}

export async function reasonOf(answer) {
  if (!answer) return "The server does not answer. Nothing was saved.";
  try {
    const { reason } = (await answer.json()).error;
    return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}

// MARK: Sentences

let toastTimer;

// Shows a sentence, and perhaps a button beside it.
export function toast(text, label, act) {
  const toast = byID("toast");
  const sentence = document.createElement("span");
  sentence.append(text);
  toast.replaceChildren(sentence);
  if (label) {
    const button = document.createElement("button");
    button.textContent = label;
    button.onclick = () => {
      hideToast();
      act();
    };
    toast.append(button);
  }
  toast.classList.add("shown");
  waitToHideToast();
}

// A sentence with a button stays longer, and while the pointer or the focus is on it.
function waitToHideToast() {
  clearTimeout(toastTimer);
  const toast = byID("toast");
  if (toast.matches(":hover, :focus-within")) return;
  toastTimer = setTimeout(hideToast, toast.querySelector("button") ? 12_000 : 6_000);
}

function hideToast() {
  clearTimeout(toastTimer);
  byID("toast").classList.remove("shown");
}

for (const name of ["pointerenter", "pointerleave", "focusin", "focusout"]) {
  byID("toast")?.addEventListener(name, () => setTimeout(waitToHideToast));
}

export function announce(text) {
  byID("announcer").textContent = text;
}

// MARK: The focus

// The selector of what gets the focus when a card, a result or a list is deleted: the next one, or the
// last one, or the field that adds another.
export function successor(element) {
  const kind = [".card", ".found", ".list"].find((kind) => element.matches(kind));
  const all = [...element.parentElement.querySelectorAll(`:scope > ${kind}:not([hidden])`)];
  const place = all.indexOf(element);
  const { id } = (all[place + 1] ?? all[place - 1])?.dataset ?? {};
  switch (kind) {
    case ".card": return id ? `#card-${id} a` : `#add-${element.dataset.list}`;
    case ".found": return id ? `.found[data-id="${id}"] a` : "#search";
    default: return id ? `#list-${id} .menu` : "#new-list";
  }
}

export function focusOn(selector) {
  if (selector) document.querySelector(selector)?.focus();
}
