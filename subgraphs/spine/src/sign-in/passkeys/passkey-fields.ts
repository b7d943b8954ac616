import { html } from "@factory/runtime/html/html";
import type { FactorFields } from "../second-factors/kinds/factor-kind.js";
import { maxFactorNameLength } from "../second-factors/kinds/factor-name.js";
import type { CeremonyRequest } from "./passkey-ceremonies.js";
import { passkeyScript } from "./passkey-script.js";

/** The input that takes the browser's answer, and the ID of the paragraph before it, to which problems link. */
export const credentialField = "credential";
/** The input with a new passkey's name. */
export const nameField = "passkeyName";

const noScript = html`<noscript><p class="wrong">Passkeys need JavaScript. Allow it for this page, or choose another way.</p></noscript>`;

const answer = ({ options }: CeremonyRequest, ceremony: "create" | "use") =>
  html`<input type="hidden" name="${credentialField}" value="" data-passkey="${ceremony}" data-options="${JSON.stringify(options)}">
<p class="wrong" role="alert" data-passkey-problem hidden></p>
${noScript}`;

/** The fields with which a person creates a passkey. */
export function creationFields(request: CeremonyRequest): FactorFields {
  return {
    content: html`<p id="${credentialField}" tabindex="-1">Your browser asks for your fingerprint, your face, the code of the device, or a security key. Only this website can use the passkey.</p>
<div class="field">
<label for="${nameField}">Name</label>
<span class="hint" id="${nameField}-hint">For example the device that keeps it. You see the name only here.</span>
<input id="${nameField}" name="${nameField}" type="text" autocomplete="off" maxlength="${String(maxFactorNameLength)}" aria-describedby="${nameField}-hint">
</div>
${answer(request, "create")}`,
    script: passkeyScript,
    button: "Create a passkey",
  };
}

/** The fields with which a person uses a passkey. */
export function useFields(request: CeremonyRequest): FactorFields {
  return {
    content: html`<p id="${credentialField}" tabindex="-1">Your browser asks for your fingerprint, your face, the code of the device, or your security key.</p>
${answer(request, "use")}`,
    script: passkeyScript,
    button: "Use a passkey",
  };
}

/** The fields with which somebody signs in without a name. They are shown where the browser supports passkeys. */
export function identificationFields(request: CeremonyRequest): FactorFields {
  return { content: answer(request, "use"), script: passkeyScript, button: "Sign in with a passkey" };
}
