import { hash } from "node:crypto";
import type { HttpRoute } from "../../ground/http-endpoints/http-route.js";

/** The script's path. */
export const passkeyScriptPath = "/connect/passkey.js";

/**
 * The only script on the pages. It reads the options from an input with `data-passkey`, opens the browser's dialog when
 * the input's form is sent, writes the answer into the input, and sends the form. It makes no request.
 */
const script = `"use strict";
(() => {
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const base64url = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const texts = {
    create: {
      NotAllowedError: "No passkey was created. Try again.",
      InvalidStateError: "This device or security key already has a passkey for you.",
      ConstraintError: "This security key cannot recognize you. Set a PIN on it, or use another one.",
      NotSupportedError: "This device cannot create a passkey that works here.",
    },
    use: { NotAllowedError: "No passkey was used. Try again, or choose another way." },
  };
  const withIds = (list) => list && list.map((one) => ({ ...one, id: bytes(one.id) }));

  async function create(options) {
    const publicKey = {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: withIds(options.excludeCredentials),
    };
    const { id, type, response } = await navigator.credentials.create({ publicKey });
    return {
      id,
      type,
      response: {
        clientDataJSON: base64url(response.clientDataJSON),
        attestationObject: base64url(response.attestationObject),
        transports: response.getTransports ? response.getTransports() : [],
      },
    };
  }

  async function use(options) {
    const publicKey = { ...options, challenge: bytes(options.challenge) };
    if (options.allowCredentials) publicKey.allowCredentials = withIds(options.allowCredentials);
    const { id, type, response } = await navigator.credentials.get({ publicKey });
    return {
      id,
      type,
      response: {
        clientDataJSON: base64url(response.clientDataJSON),
        authenticatorData: base64url(response.authenticatorData),
        signature: base64url(response.signature),
        userHandle: response.userHandle ? base64url(response.userHandle) : null,
      },
    };
  }

  function attach(input) {
    const { form } = input;
    const { passkey: ceremony } = input.dataset;
    const problem = form.querySelector("[data-passkey-problem]");
    const say = (text) => {
      problem.hidden = text === "";
      problem.textContent = text;
    };
    let open = false;
    form.addEventListener("submit", async (event) => {
      const { submitter } = event;
      if (input.value !== "" || (submitter && submitter.value === "cancel")) return;
      event.preventDefault();
      if (open) return;
      if (!window.PublicKeyCredential) return say("This browser does not support passkeys.");
      open = true;
      form.setAttribute("aria-busy", "true");
      say("");
      try {
        const options = JSON.parse(input.dataset.options);
        input.value = JSON.stringify(await (ceremony === "create" ? create(options) : use(options)));
        form.requestSubmit(submitter);
      } catch (error) {
        say(texts[ceremony][error.name] || "The browser could not do that. Try again.");
      } finally {
        open = false;
        form.removeAttribute("aria-busy");
      }
    });
    // a page that comes back from the history of the browser must not send the former answer
    window.addEventListener("pageshow", () => {
      input.value = "";
    });
    const offer = window.PublicKeyCredential && form.closest("[data-offer]");
    if (offer) offer.hidden = false;
  }

  for (const input of document.querySelectorAll("input[data-passkey]")) attach(input);
})();
`;

/** The script's address. It changes with the script, so that browsers may keep it. */
export const passkeyScript = `${passkeyScriptPath}?v=${hash("sha256", script).slice(0, 16)}`;

/** Serves the script to anybody. */
export const passkeyScriptRoute: HttpRoute = {
  methods: ["GET", "HEAD"],
  handle(request, response) {
    const body = Buffer.from(script);
    response.writeHead(200, {
      "content-type": "text/javascript; charset=utf-8",
      "content-length": body.length,
      "cache-control": "public, max-age=86400, immutable",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
    });
    response.end(request.method === "HEAD" ? undefined : body);
  },
};
