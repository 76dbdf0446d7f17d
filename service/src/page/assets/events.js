// All tabs of a browser follow one stream of events: a browser opens no more than six connections to a host.
"use strict";

const ports = new Set();
let stream = null;
let newest = null;

function tell(message) {
  for (const port of ports) port.postMessage(message);
}

function follow() {
  stream = new EventSource("/events");
  stream.addEventListener("open", () => tell({ kind: "open" }));
  stream.addEventListener("error", () => {
    tell({ kind: "error" });
    // The browser tries again by itself, unless the page said no.
    if (stream.readyState === EventSource.CLOSED) stream = null;
  });
  stream.addEventListener("now", (event) => {
    newest = { kind: "now", html: event.data };
    tell(newest);
  });
  stream.addEventListener("call", (event) => tell({ kind: "call", html: event.data }));
  stream.addEventListener("transcript", (event) => tell({ kind: "transcript", html: event.data }));
  stream.addEventListener("missed", () => tell({ kind: "missed" }));
}

onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = (message) => {
    if (message.data === "bye") ports.delete(port);
  };
  if (stream === null) follow();
  else if (newest !== null) port.postMessage(newest);
};
