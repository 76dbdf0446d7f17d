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
  const answer = await fetch(path, { method: "POST", body, redirect: "follow" });
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

// Answers.

const DEEDS = {
  deny: (question) => ({ answer: "deny", message: question.querySelector(".message").value.trim() || null }),
  once: () => ({ answer: "once" }),
  session: (_, button) => ({ answer: "session", covers: button.dataset.covers }),
  always: () => ({ answer: "always" }),
  edit: (question) => ({ answer: "edit", line: question.querySelector(".edit").value }),
  keep: () => ({ answer: "keep" }),
};

async function answer(button) {
  const question = button.closest(".question");
  const outcome = question.querySelector(".outcome");
  const deed = button.dataset.answer;
  const given = deed === "try" ? "try" : JSON.stringify(DEEDS[deed](question, button));
  const { id, digest } = question.dataset;
  const typed = question.querySelector(".typed")?.value.trim() ?? "";
  const buttons = question.querySelectorAll("button");
  for (const one of buttons) one.disabled = true;
  outcome.textContent = "";
  try {
    const key = await kept();
    if (!key) throw new Error(document.body.dataset.noKey);
    const nonce = await send("/nonce", {});
    const text = ["guarded-sh answer", location.origin, id, digest, nonce, typed, given].join("\n");
    const signature = hex(await crypto.subtle.sign(SIGN, key, new TextEncoder().encode(text)));
    await send("/answer", { question: id, digest, nonce, typed, answer: given, signature });
  } catch (error) {
    outcome.textContent = `${document.body.dataset.notTaken}: ${error.message}`;
    for (const one of buttons) one.disabled = false;
  }
}

// The queue: a question that is the same stays as it is, and what is typed and opened in one stays when others come and go.

function showForms(root) {
  for (const form of root.querySelectorAll("form.answers")) form.hidden = false;
}

function showQueue(html) {
  const now = document.getElementById("now");
  const open = Number(/data-open="(\d+)"/.exec(html)?.[1] ?? 0);
  document.title = document.title.replace(/^(\(\d+\) )?/, open > 0 ? `(${open}) ` : "");
  if (now === null) return;
  const made = document.createElement("template");
  made.innerHTML = html;
  for (const fresh of made.content.querySelectorAll(".question")) {
    const old = document.getElementById(fresh.id);
    const isSame = old !== null && old.dataset.digest === fresh.dataset.digest;
    if (!isSame || (old.dataset.version !== fresh.dataset.version && !inUse(old))) continue;
    old.querySelector(".clock").replaceWith(fresh.querySelector(".clock"));
    fresh.replaceWith(old);
  }
  const active = document.activeElement;
  showForms(made.content);
  now.replaceChildren(made.content);
  // What was moved has lost it.
  if (active !== document.body && document.contains(active)) active.focus({ preventScroll: true });
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
  for (const kind of ["now", "call", "missed"]) {
    stream.addEventListener(kind, (event) => hear({ kind, html: event.data }));
  }
}

function start() {
  const enter = document.getElementById("enter");
  if (enter !== null) {
    pair(enter);
    return;
  }
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
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-answer]");
    if (button !== null) answer(button);
  });
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
