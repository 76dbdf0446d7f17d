// What the page does in the browser: it pairs, follows the events, and signs answers. All text comes from the server as HTML that it has escaped.
"use strict";

const CURVE = { name: "ECDSA", namedCurve: "P-256" };
const SIGN = { name: "ECDSA", hash: "SHA-256" };

// A key of which no script sees the private half, kept in the browser's own store for this very origin.

function store(mode, act) {
  return new Promise((resolve, reject) => {
    const opened = indexedDB.open("guarded-sh", 1);
    opened.onupgradeneeded = () => opened.result.createObjectStore("keys");
    opened.onerror = () => reject(opened.error);
    opened.onsuccess = () => {
      const done = opened.result.transaction("keys", mode);
      const asked = act(done.objectStore("keys"));
      done.oncomplete = () => resolve(asked.result);
      done.onerror = () => reject(done.error);
    };
  });
}

const kept = () => store("readonly", (keys) => keys.get("answers"));
const keep = (key) => store("readwrite", (keys) => keys.put(key, "answers"));

const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

async function send(path, fields) {
  const body = new URLSearchParams(fields);
  const asked = fetch(path, { method: "POST", body, redirect: "follow" });
  const answer = await asked.catch(() => { throw new Error(document.body.dataset.unreached); });
  const text = (await answer.text()).trim();
  if (!answer.ok) throw new Error(text.startsWith("<") ? document.body.dataset.unknown : text);
  return text;
}

// Pairing: the code stands behind the # of the address, and goes from there at once.

async function pair(form) {
  const code = location.hash.slice(1);
  if (code !== "") {
    history.replaceState(null, "", location.pathname);
    form.elements.code.value = code;
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.querySelector("button").disabled = true;
    try {
      const pair = await crypto.subtle.generateKey(CURVE, false, ["sign", "verify"]);
      await keep(pair.privateKey);
      form.elements.key.value = hex(await crypto.subtle.exportKey("raw", pair.publicKey));
    } catch (error) {
      // Without a key the browser can look.
      console.warn(error);
    }
    form.submit();
  });
  if (code !== "") form.requestSubmit();
}

// Signs a text of these lines, with a number that counts once between them.
async function signed(before, after) {
  const key = await kept();
  if (!key) throw new Error(document.body.dataset.noKey);
  const nonce = await send("/nonce", {});
  const text = [...before, nonce, ...after].join("\n");
  const signature = hex(await crypto.subtle.sign(SIGN, key, new TextEncoder().encode(text)));
  return { text, proof: { nonce, signature } };
}

// Answers.

const DEEDS = {
  deny: (question) => ({ answer: "deny", message: question.querySelector(".message").value.trim() || null }),
  stop: () => ({ answer: "stop" }),
  once: () => ({ answer: "once" }),
  session: (_, button) => ({ answer: "session", covers: button.dataset.covers }),
  always: () => ({ answer: "always" }),
  edit: (question) => ({ answer: "edit", line: question.querySelector(".edit").value }),
  keep: () => ({ answer: "keep" }),
};

// Signs an answer to a question as it is shown, and sends it.
async function give(question, typed, given) {
  const { id, digest } = question.dataset;
  const { text, proof } = await signed(["guarded-sh answer", location.origin, id, digest], [typed, given]);
  const touched = await touch(question, given === "try" ? given : JSON.parse(given).answer, text);
  await send("/answer", { question: id, digest, typed, answer: given, ...proof, ...touched });
}

// Does something that answers, while no button of a part of the page can be used; says there what was not taken.
async function during(part, act) {
  const outcome = part.querySelector(".outcome");
  const buttons = part.querySelectorAll("button");
  for (const one of buttons) one.disabled = true;
  outcome.textContent = "";
  try {
    await act();
  } catch (error) {
    outcome.textContent = `${document.body.dataset.notTaken}: ${error.message}`;
    for (const one of buttons) one.disabled = false;
  }
}

function answer(button) {
  const question = button.closest(".question");
  const deed = button.dataset.answer;
  const given = deed === "try" ? "try" : JSON.stringify(DEEDS[deed](question, button));
  const typed = question.querySelector(".typed")?.value.trim() ?? "";
  return during(question, () => give(question, typed, given));
}

// Gives each question of a group its own answer, those alone whose lines stand in it.
function answerAll(button) {
  const group = button.closest(".group");
  const given = JSON.stringify(button.dataset.all === "once" ? { answer: "once" } : { answer: "deny", message: null });
  return during(group, async () => {
    const untaken = [];
    for (const id of group.dataset.ids.split(" ")) {
      const question = document.getElementById(`q-${id}`);
      // It was answered elsewhere meanwhile.
      if (question === null) continue;
      await give(question, "", given).catch((error) => untaken.push(`${id}: ${error.message}`));
    }
    if (untaken.length > 0) throw new Error(untaken.join("; "));
  });
}

// The queue. A question that is the same stays where it is, untouched but for its clock: a click that has begun is not lost, and what is typed and
// opened in one stays when others come and go.

function showForms(root) {
  for (const form of root.querySelectorAll("form.answers")) form.hidden = false;
}

function showQueue(html) {
  const now = document.getElementById("now");
  const made = document.createElement("template");
  made.innerHTML = html;
  const fresh = made.content.querySelector("#standing");
  const open = Number(fresh?.dataset.open ?? 0);
  document.title = document.title.replace(/^(\(\d+\) )?/, open > 0 ? `(${open}) ` : "");
  if (now === null || fresh === null) return;
  showForms(fresh);
  const standing = document.getElementById("standing");
  if (settle(standing, Array.from(fresh.children, (one) => stays(one) ?? one))) moved(now);
  standing.dataset.open = open;
  settle(now, Array.from(made.content.children, (one) => (one === fresh ? standing : one)));
}

// What has come to stand below the mouse just now is not pressed by it: for a moment buttons take nothing, but for one that is down already.
const MOMENT = 400;
let still = 0;

function moved(now) {
  now.classList.add("moving");
  clearTimeout(still);
  still = setTimeout(() => now.classList.remove("moving"), MOMENT);
}

function press(event) {
  const button = event.target.closest("button");
  if (button === null) return;
  button.classList.add("pressed");
  const free = () => setTimeout(() => button.classList.remove("pressed"));
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, free, { once: true });
}

// The element that shows the same already, with the time that it says now; none if there is none.
function stays(fresh) {
  const old = fresh.id === "" ? null : document.getElementById(fresh.id);
  if (fresh.classList.contains("group")) return old;
  if (!fresh.classList.contains("question") || old === null || old.dataset.digest !== fresh.dataset.digest) return null;
  if (old.dataset.version !== fresh.dataset.version && !inUse(old)) return null;
  old.querySelector(".clock").replaceWith(fresh.querySelector(".clock"));
  return old;
}

// Has an element hold these and no others, in this order; returns whether it held others. What it holds already is not moved, unless the order is another.
function settle(parent, wanted) {
  let isOther = false;
  for (const child of Array.from(parent.childNodes)) {
    if (wanted.includes(child)) continue;
    child.remove();
    isOther = true;
  }
  let at = parent.firstChild;
  for (const child of wanted) {
    if (child === at) {
      at = at.nextSibling;
      continue;
    }
    parent.insertBefore(child, at);
    isOther = true;
  }
  return isOther;
}

// Whether the person is in the middle of something there.
function inUse(question) {
  const texts = Array.from(question.querySelectorAll("textarea, input"));
  return question.contains(document.activeElement)
    || texts.some((text) => text.value !== text.defaultValue)
    || question.querySelector("details[open]") !== null;
}

function older() {
  const units = document.body.dataset.units.split(" ");
  for (const age of document.querySelectorAll(".age")) {
    const seconds = Number(age.dataset.age) + 1;
    age.dataset.age = seconds;
    age.textContent = seconds < 120 ? `${seconds} ${units[0]}` : seconds < 7200 ? `${Math.floor(seconds / 60)} ${units[1]}` : `${Math.floor(seconds / 3600)} ${units[2]}`;
  }
}

// The newest calls.

const SEVERITIES = ["low", "medium", "high", "critical"];
const MOST = 500;

function fits(row, wanted) {
  const has = (text, part) => text.toLowerCase().includes(part.toLowerCase());
  return (wanted.text === "" || has(row.textContent, wanted.text))
    && (wanted.agent === "" || has(row.dataset.agent, wanted.agent))
    && (wanted.session === "" || has(row.dataset.session, wanted.session))
    && (wanted.project === "" || has(row.dataset.project, wanted.project))
    && (wanted.action === "" || row.dataset.action === wanted.action)
    && (wanted.severity === "" || SEVERITIES.indexOf(row.dataset.severity) >= SEVERITIES.indexOf(wanted.severity));
}

function live(filter) {
  const calls = document.getElementById("calls");
  const held = [];
  const wanted = () => Object.fromEntries(new FormData(filter));
  const sift = () => {
    const now = wanted();
    for (const row of calls.rows) row.hidden = !fits(row, now);
  };
  const show = (html) => {
    const made = document.createElement("template");
    made.innerHTML = `<table><tbody>${html}</tbody></table>`;
    const row = made.content.querySelector("tr");
    if (row === null) return;
    row.hidden = !fits(row, wanted());
    calls.querySelector(`tr[data-number="${CSS.escape(row.dataset.number)}"]`)?.remove();
    calls.prepend(row);
    while (calls.rows.length > MOST) calls.rows[calls.rows.length - 1].remove();
  };
  filter.addEventListener("input", sift);
  filter.addEventListener("submit", (event) => event.preventDefault());
  const pause = document.getElementById("pause");
  pause.addEventListener("change", () => {
    if (!pause.checked) held.splice(0).forEach(show);
  });
  return (html) => {
    if (pause.checked) held.push(html);
    else show(html);
    if (held.length > MOST) held.shift();
  };
}

// Events, over the worker that all tabs share, or a stream of this tab's own.

function follow(hear) {
  if (typeof SharedWorker === "function") {
    const worker = new SharedWorker("/assets/events.js");
    worker.port.onmessage = (message) => hear(message.data);
    addEventListener("pagehide", () => worker.port.postMessage("bye"));
    return;
  }
  const stream = new EventSource("/events");
  stream.addEventListener("open", () => hear({ kind: "open" }));
  stream.addEventListener("error", () => hear({ kind: "error" }));
  for (const kind of ["now", "call", "missed", "transcript"]) {
    stream.addEventListener(kind, (event) => hear({ kind, html: event.data }));
  }
}

function start() {
  const enter = document.getElementById("enter");
  if (enter !== null) {
    pair(enter);
    return;
  }
  const passkey = document.getElementById("passkey");
  if (passkey !== null) registerPasskey(passkey);
  const filter = document.getElementById("filter");
  const addCall = filter === null ? () => {} : live(filter);
  const notice = document.getElementById("notice");
  showForms(document);
  follow((event) => {
    if (event.kind === "open") notice.textContent = "";
    if (event.kind === "error") notice.textContent = document.body.dataset.unreached;
    if (event.kind === "now") showQueue(event.html);
    if (event.kind === "call") addCall(event.html);
    if (event.kind === "missed" && filter !== null) location.reload();
    document.dispatchEvent(new CustomEvent("told", { detail: event }));
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-answer]");
    if (button !== null) answer(button);
    const all = event.target.closest("button[data-all]");
    if (all !== null) answerAll(all);
  });
  document.addEventListener("pointerdown", press);
  document.addEventListener("keydown", keys);
  setInterval(older, 1000);
}

// j and k go from question to question; d denies the one that is gone to. A yes is never a single key.
function keys(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  const questions = Array.from(document.querySelectorAll(".question"));
  const at = questions.findIndex((question) => question.contains(document.activeElement));
  if (event.key === "j") questions[Math.min(at + 1, questions.length - 1)]?.focus();
  if (event.key === "k") questions[Math.max(at - 1, 0)]?.focus();
  if (event.key === "d" && at >= 0) questions[at].querySelector('button[data-answer="deny"]').click();
}

start();
