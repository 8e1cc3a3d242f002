// Asks the browser for a passkey and sends its answer with the form. Forms that
// need this script are hidden until it runs.
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer ?? []))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

// What is asked, as the form says it.
function question(form) {
  const ask = form.dataset;
  const credentials = (ask.credentials ?? "").split(" ").filter(Boolean).map((id) => ({ type: "public-key", id: bytes(id) }));
  const common = { challenge: bytes(ask.challenge), timeout: 300000 };
  if (!ask.user) return { ...common, rpId: ask.party, allowCredentials: credentials, userVerification: "required" };
  return {
    ...common,
    rp: { id: ask.party, name: ask.party },
    user: { id: bytes(ask.user), name: ask.account, displayName: ask.name },
    pubKeyCredParams: ask.algorithms.split(" ").map((alg) => ({ type: "public-key", alg: Number(alg) })),
    excludeCredentials: credentials,
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

// The answer, as the server reads it.
function answer(credential) {
  const said = credential.response;
  const made = said.getPublicKey;
  return JSON.stringify({
    id: text(credential.rawId),
    clientData: text(said.clientDataJSON),
    authenticatorData: text(made ? said.getAuthenticatorData() : said.authenticatorData),
    publicKey: text(made ? said.getPublicKey() : null),
    signature: text(said.signature),
    userHandle: text(said.userHandle),
  });
}

for (const form of document.querySelectorAll("form[data-challenge]")) {
  const failed = document.getElementById("passkey-failed");
  if (!window.PublicKeyCredential) {
    document.getElementById("passkey-nowhere").hidden = false;
    continue;
  }
  let waiting = new AbortController(); // the autofill, which a click ends
  const send = (credential) => {
    form.elements.passkey.value = answer(credential);
    HTMLFormElement.prototype.submit.call(form);
  };
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // The server says what is wrong with a name, before a device keeps a passkey that nobody knows.
    if (form.elements.label?.value.trim() === "") return HTMLFormElement.prototype.submit.call(form);
    waiting.abort();
    waiting = new AbortController();
    failed.hidden = true;
    const request = { publicKey: question(form), signal: waiting.signal };
    try {
      send(await (form.dataset.user ? navigator.credentials.create(request) : navigator.credentials.get(request)));
    } catch (error) {
      failed.hidden = error.name === "AbortError";
    }
  });
  if (form.dataset.autofill === undefined) continue;
  PublicKeyCredential.isConditionalMediationAvailable?.().then((can) =>
    can && navigator.credentials.get({ publicKey: question(form), mediation: "conditional", signal: waiting.signal }).then(send),
  ).catch(() => {}); // nobody was asked yet, so nobody is told
}
