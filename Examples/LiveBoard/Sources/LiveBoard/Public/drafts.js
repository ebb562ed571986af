// What is typed is kept by the browser until it is saved: the fields that add cards and lists, and the form
// of each card.

const draftKey = (name) => `draft/${document.body.dataset.person}/${name}`;

export function keep(name, text) {
  try {
    localStorage.setItem(draftKey(name), text);
  } catch {} // Without storage, the text lasts as long as the page.
}

export function kept(name) {
  try {
    return localStorage.getItem(draftKey(name));
  } catch {
    return null;
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(draftKey(name));
  } catch {}
}

const addingFields = ".add input, .add-list input";

export function restoreFields(parent) {
  for (const field of parent.querySelectorAll(addingFields)) field.value = kept(field.id) ?? "";
}

export function showDrafts() {
  const names = new Set();
  try {
    for (const key of Object.keys(localStorage)) names.add(key);
  } catch {}
  for (const card of document.querySelectorAll(".card")) {
    card.toggleAttribute("data-draft", names.has(draftKey(card.id)));
  }
}

// The texts of a form. The version is the one that they are based on.
export function textsOf(form) {
  const texts = Object.fromEntries(new FormData(form));
  return JSON.stringify({ ...texts, version: form.dataset.base ?? texts.version });
}

export const isChanged = (form) => textsOf(form) !== form.dataset.saved;

function keepForm(form) {
  const name = `card-${form.dataset.card}`;
  if (isChanged(form)) keep(name, textsOf(form));
  else forget(name);
}

export function restoreForm(form) {
  form.dataset.saved = textsOf(form);
  const draft = kept(`card-${form.dataset.card}`);
  if (!draft) return;
  for (const [name, text] of Object.entries(JSON.parse(draft))) {
    const field = form.elements[name];
    if (field && (!field.options || [...field.options].some((option) => option.value === text))) {
      field.value = text;
    }
  }
  form.querySelector(".draft-note").hidden = false;
}

document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.matches(addingFields)) {
    if (field.value) keep(field.id, field.value);
    else forget(field.id);
  } else if (field.matches(".card-form *")) {
    keepForm(field.form);
  }
});
