// What the page does where something is tried or changed: parts of it are loaded as somebody types, and a change is signed as an answer is. It follows page.js.
"use strict";

const PART = { "x-guarded-sh-part": "1" };
const PAUSE = 300;
const DONE = "guarded-sh-done";

// Parts: what the server says to a form stands in the form, and what comes too late is dropped.

const asked = new WeakMap();

async function load(part, path, options) {
  asked.get(part)?.abort();
  const mine = new AbortController();
  asked.set(part, mine);
  part.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(path, { headers: PART, signal: mine.signal, ...options });
    const html = await answer.text();
    if (!answer.ok) throw new Error(html.startsWith("<") ? document.body.dataset.unknown : html);
    part.innerHTML = html;
    showButtons(part);
    followWork(part);
  } catch (error) {
    if (error.name === "AbortError") return;
    part.textContent = error.message;
  }
  if (asked.get(part) === mine) part.removeAttribute("aria-busy");
}

function sendForm(form, button) {
  const fields = new URLSearchParams(new FormData(form, button));
  return load(form.querySelector(".part"), form.getAttribute("action"), { method: "POST", body: fields });
}

function looking(text) {
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", text);
  said.append(text, " ", bar);
  return said;
}

// What goes on says where it is asked for again; what takes its place is at its end, or says so as well.
function followWork(root) {
  for (const part of root.querySelectorAll("[data-again]")) setTimeout(() => askAgain(part), 1000);
}

async function askAgain(part) {
  if (!part.isConnected) return;
  const made = document.createElement("template");
  try {
    const answer = await fetch(part.dataset.again, { headers: PART });
    if (!answer.ok) return;
    made.innerHTML = await answer.text();
  } catch {
    // Whoever said it is not reached; they may be later.
    setTimeout(() => askAgain(part), 5000);
    return;
  }
  followWork(made.content);
  part.replaceWith(made.content);
}

function showButtons(root) {
  for (const button of root.querySelectorAll("button[data-change], button[data-copy]")) button.hidden = false;
}

// Changes.

async function change(button) {
  const { change: what, digest, then } = button.dataset;
  const body = JSON.parse(button.dataset.body);
  const outcome = button.closest(".choices").parentElement.querySelector(".outcome");
  button.disabled = true;
  outcome.textContent = "";
  try {
    const { text, proof } = await signed(["guarded-sh change", location.origin, what, digest], [body]);
    const said = await send("/change", { what, digest, body, ...proof, ...(await touchChange(text)) });
    sessionStorage.setItem(DONE, said);
    const to = new URL(then, location.href);
    // To another place of the same page a browser only scrolls.
    if (to.pathname + to.search === location.pathname + location.search) {
      history.replaceState(null, "", to);
      location.reload();
    } else {
      location.assign(to);
    }
  } catch (error) {
    outcome.textContent = `${button.dataset.notMade}: ${error.message}`;
    button.disabled = false;
  }
}

// Says what was changed before the page was loaded anew, and opens the place that it is about.
function tellDone() {
  const said = sessionStorage.getItem(DONE);
  sessionStorage.removeItem(DONE);
  const place = location.hash === "" ? null : document.getElementById(location.hash.slice(1));
  if (place instanceof HTMLDetailsElement) place.open = true;
  if (said === null) return;
  const done = document.createElement("p");
  done.className = "done";
  done.setAttribute("role", "status");
  done.textContent = said;
  document.querySelector("main h1").after(done);
}

async function copy(button) {
  const text = document.getElementById(button.dataset.copy);
  const told = button.parentElement.querySelector(".copied");
  try {
    await navigator.clipboard.writeText(text.value);
    told.textContent = button.dataset.copied;
  } catch {
    text.select();
    told.textContent = button.dataset.keys;
  }
}

function startChanges() {
  showButtons(document);
  followWork(document);
  tellDone();
  for (const part of document.querySelectorAll("[data-load]")) {
    part.replaceChildren(looking(part.dataset.looking));
    load(part, part.dataset.load, {});
  }
  const pauses = new WeakMap();
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-live]");
    if (form === null) return;
    clearTimeout(pauses.get(form));
    pauses.set(form, setTimeout(() => sendForm(form), PAUSE));
  });
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-part]");
    if (form === null) return;
    event.preventDefault();
    clearTimeout(pauses.get(form));
    sendForm(form, event.submitter);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-change], button[data-copy]");
    if (button === null) return;
    if (button.dataset.copy !== undefined) copy(button);
    else change(button);
  });
}

startChanges();
