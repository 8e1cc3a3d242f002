// Tries an app out by its own key, which stays in this tab: pushes the request, proves
// the app by what the key signs, and binds its tokens to another key that is made here.
const bytes = (said) => new TextEncoder().encode(said);
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const part = (jwt, n) =>
  JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(jwt.split(".")[n].replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0))));
const random = () => text(crypto.getRandomValues(new Uint8Array(32)));
const hash = async (said) => text(await crypto.subtle.digest("SHA-256", bytes(said)));
const seconds = () => Math.floor(Date.now() / 1000);

const kinds = {
  EC: ["ES256", { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }],
  RSA: ["PS256", { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 }],
  RS256: ["RS256", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }],
  OKP: ["EdDSA", { name: "Ed25519" }],
};

async function read(file) {
  const { kid, alg: wanted, use, key_ops, ...jwk } = JSON.parse(await file.text());
  const [alg, how] = kinds[wanted] ?? kinds[jwk.kty];
  return { alg, how, kid, key: await crypto.subtle.importKey("jwk", jwk, how, false, ["sign"]) };
}

async function sign({ alg, how, key }, header, claims) {
  const said = [{ alg, ...header }, { iat: seconds(), jti: random(), ...claims }].map((o) => text(bytes(JSON.stringify(o)))).join(".");
  return said + "." + text(await crypto.subtle.sign(how, key, bytes(said)));
}

class Trial {
  constructor(ask, app, holder, jwk) {
    Object.assign(this, { ask, app, holder, jwk, verifier: random() });
  }

  // Calls an endpoint with a proof, and once more where that lacked the server's nonce.
  async call(path, method, body, token, nonce) {
    const at = this.ask.issuer + path;
    const headers = {
      DPoP: await sign(this.holder, { typ: "dpop+jwt", jwk: this.jwk }, { htm: method, htu: at, nonce, ath: token && (await hash(token)) }),
    };
    if (token) headers.Authorization = "DPoP " + token;
    const answer = await fetch(at, { method, headers, body: body && new URLSearchParams({ ...body, ...(await this.proof()) }) });
    const fresh = answer.headers.get("DPoP-Nonce");
    const said = await answer.text(); // empty for what was revoked
    const told = said ? JSON.parse(said) : {};
    if (told.error === "use_dpop_nonce" && !nonce) return this.call(path, method, body, token, fresh);
    if (!answer.ok) throw new Error([told.error, told.error_description].filter(Boolean).join(": ") || String(answer.status));
    return told;
  }

  async proof() {
    const { client, issuer } = this.ask;
    return {
      client_id: client,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await sign(this.app, { kid: this.app.kid }, { iss: client, sub: client, aud: issuer, exp: seconds() + 60 }),
    };
  }

  // Pushes the request, and returns where the browser goes on with it.
  async push(scope) {
    const { client, issuer, redirect, state, signed } = this.ask;
    let request = {
      response_type: "code", client_id: client, redirect_uri: redirect, scope, state,
      code_challenge: await hash(this.verifier), code_challenge_method: "S256",
    };
    if (signed !== undefined) {
      const claims = { ...request, iss: client, aud: issuer, nbf: seconds(), exp: seconds() + 60 };
      request = { request: await sign(this.app, { kid: this.app.kid, typ: "oauth-authz-req+jwt" }, claims) };
    }
    const pushed = await this.call("/authentication/v2/par", "POST", request);
    return issuer + "/authentication/v2/authorize?" + new URLSearchParams({ client_id: client, request_uri: pushed.request_uri });
  }

  // Gets tokens, shows them, and ends them.
  async finish(form) {
    const tokens = await this.call("/authentication/v2/token", "POST", form);
    const shown = { access_token: tokens.access_token, id_token: tokens.id_token };
    for (const [id, token] of Object.entries(shown)) {
      if (token) show(id, part(token, 0), part(token, 1));
    }
    if (tokens.id_token) show("userinfo", await this.call("/userinfo", "GET", undefined, tokens.access_token));
    show("answer", Object.fromEntries(Object.entries(tokens).map(([name, said]) => [name, name.endsWith("_token") ? "…" : said])));
    await this.call("/authentication/v2/revoke", "POST", tokens.refresh_token
      ? { token: tokens.refresh_token, token_type_hint: "refresh_token" }
      : { token: tokens.access_token, token_type_hint: "access_token" });
  }
}

function show(id, ...objects) {
  document.getElementById("own-" + id).textContent = objects.map((o) => JSON.stringify(o, null, 2)).join("\n");
  document.getElementById("own-" + id).closest("section").hidden = false;
}

const at = document.getElementById("own-key");
const back = document.getElementById("own-back");
if (back) new BroadcastChannel("try " + back.dataset.state).postMessage(location.search);
if (at && window.crypto?.subtle) {
  const failed = document.getElementById("own-failed");
  const go = document.getElementById("own-go"), on = document.getElementById("own-on");
  const guarded = (act) => async (event) => {
    failed.hidden = true;
    try {
      await act(event);
    } catch (error) {
      failed.textContent = error.message;
      failed.hidden = false;
    }
  };
  at.hidden = false;
  document.getElementById("own-begin").addEventListener("click", guarded(async () => {
    const how = kinds.EC[1], pair = await crypto.subtle.generateKey(how, false, ["sign", "verify"]);
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const app = await read(document.getElementById("own-file").files[0]);
    const trial = new Trial(at.dataset, app, { alg: "ES256", how, key: pair.privateKey }, { kty, crv, x, y });
    const scope = [...document.querySelectorAll("#try-form input:checked")].map((box) => box.name.replace(/^scopes\./, "")).join(" ");
    if (at.dataset.service !== undefined) return trial.finish({ grant_type: "client_credentials", scope });
    go.href = await trial.push(scope);
    on.hidden = false;
    new BroadcastChannel("try " + at.dataset.state).onmessage = guarded(async ({ data }) => {
      const query = new URLSearchParams(data);
      const said = query.has("response") ? part(query.get("response"), 1) : Object.fromEntries(query);
      if (said.error) throw new Error([said.error, said.error_description].filter(Boolean).join(": "));
      on.hidden = true;
      await trial.finish({
        grant_type: "authorization_code", code: said.code, redirect_uri: at.dataset.redirect, code_verifier: trial.verifier,
      });
    });
  }));
}
