// Follows a transcript that is looked at: what is written is fetched from the page, as HTML that it has escaped. A session says that there is more.
"use strict";

(() => {
  const timeline = document.getElementById("timeline");
  const session = document.getElementById("session");

  // What the page draws is put in the place of what has the same id, or at the end.
  function put(made) {
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
    for (const item of Array.from(made.querySelectorAll("ol > li"))) {
      const old = document.getElementById(item.id);
      if (old === null) {
        timeline.append(item);
        continue;
      }
      const opened = old.querySelector("details")?.open ?? false;
      const details = item.querySelector("details");
      if (details !== null) details.open = opened;
      old.replaceWith(item);
    }
    document.getElementById("whole").replaceChildren(...made.querySelector(".whole").childNodes);
    document.getElementById("unfinished").textContent = made.querySelector(".unfinished").textContent;
    if (isAtEnd) scrollTo(0, document.documentElement.scrollHeight);
  }

  let isFetching = false;
  let isAgain = false;

  async function fetchMore() {
    if (isFetching) {
      isAgain = true;
      return;
    }
    isFetching = true;
    try {
      do {
        isAgain = false;
        const answer = await fetch(`/transcript/since?${timeline.dataset.transcript}&from=${encodeURIComponent(timeline.dataset.end)}`);
        if (!answer.ok) return;
        const made = document.createElement("template");
        made.innerHTML = await answer.text();
        const list = made.content.querySelector("ol");
        timeline.dataset.end = list.dataset.end;
        isAgain = isAgain || list.dataset.more === "true";
        put(made.content);
      } while (isAgain);
    } finally {
      isFetching = false;
    }
    // What is large is read on; how far it is, is said until it is read.
    if (document.getElementById("reading") !== null) setTimeout(fetchMore, 1000);
  }

  if (timeline !== null && timeline.dataset.follows === "true") {
    let isHeard = false;
    document.addEventListener("told", ({ detail }) => {
      const isOurs = detail.html === timeline.dataset.transcript || detail.html === "any";
      // What was written before this page heard anything is fetched with the first that it hears.
      if (!isHeard || detail.kind === "open" || (detail.kind === "transcript" && isOurs)) fetchMore();
      isHeard = true;
    });
    if (document.getElementById("reading") !== null) setTimeout(fetchMore, 1000);
  }

  if (session !== null) {
    const more = document.getElementById("more");
    const kept = (session.dataset.transcripts ?? "").split("\n").filter((name) => name !== "");
    document.addEventListener("told", ({ detail }) => {
      const isKept = detail.kind === "transcript" && (kept.includes(detail.html) || detail.html === "any");
      const isCall = detail.kind === "call" && (() => {
        const made = document.createElement("template");
        made.innerHTML = `<table><tbody>${detail.html}</tbody></table>`;
        const id = made.content.querySelector("tr")?.dataset.session ?? "";
        return new URLSearchParams({ id }).toString() === session.dataset.session;
      })();
      if (isKept || isCall) more.hidden = false;
    });
  }
})();
