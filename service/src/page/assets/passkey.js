// Passkeys: one is made with a code of the terminal, and touched for a yes to what is severe. What is signed is the answer itself.
"use strict";

const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const inHex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const listed = (known) => known.map((id) => ({ type: "public-key", id: unhex(id) }));

// What a yes is sent with, where its line takes a passkey.
async function touch(question, deed, text) {
  if (question.dataset.passkey === undefined || !["once", "session", "always", "keep"].includes(deed)) return {};
  return touched(JSON.parse(await send("/passkey/known", {})), text);
}

// What a change is sent with, where those take one.
async function touchChange(text) {
  const asked = JSON.parse(await send("/passkey/known", {}));
  return asked.changes ? touched(asked, text) : {};
}

async function touched({ host, known, none }, text) {
  if (known.length === 0) throw new Error(none);
  const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const asked = { challenge, rpId: host, allowCredentials: listed(known), userVerification: "preferred" };
  const { rawId, response } = await navigator.credentials.get({ publicKey: asked });
  return {
    credential: inHex(rawId),
    client: inHex(response.clientDataJSON),
    authenticator: inHex(response.authenticatorData),
    assertion: inHex(response.signature),
  };
}

async function makePasskey(code) {
  const { host, known, challenge } = JSON.parse(await send("/passkey/begin", { code }));
  const asked = {
    challenge: unhex(challenge),
    rp: { id: host, name: "guarded-sh" },
    user: { id: crypto.getRandomValues(new Uint8Array(16)), name: "guarded-sh", displayName: "guarded-sh" },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -8 }],
    excludeCredentials: listed(known),
    attestation: "none",
  };
  const { response } = await navigator.credentials.create({ publicKey: asked });
  await send("/passkey/finish", {
    client: inHex(response.clientDataJSON),
    authenticator: inHex(response.getAuthenticatorData()),
  });
}

function registerPasskey(form) {
  const code = location.hash.slice(1);
  if (code !== "") {
    history.replaceState(null, "", location.pathname);
    form.elements.code.value = code;
  }
  form.hidden = false;
  const outcome = form.querySelector(".outcome");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    outcome.textContent = "";
    outcome.classList.remove("good");
    try {
      await makePasskey(form.elements.code.value.trim());
      form.elements.code.value = "";
      outcome.classList.add("good");
      document.getElementById("known").hidden = true;
      outcome.textContent = form.dataset.done;
    } catch (error) {
      outcome.textContent = `${form.dataset.failed}: ${error.message}`;
    }
  });
}
