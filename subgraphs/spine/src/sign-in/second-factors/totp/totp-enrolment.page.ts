import { Html, html } from "@factory/runtime/html/html";
import { renderSVG } from "uqr";

/** The QR code as an inline SVG. It is black on white in every color scheme, since many scanners need that. */
function qrCode(text: string): Html {
  // the SVG contains numbers and the two colors only
  return new Html(renderSVG(text, { ecc: "M", border: 2 }));
}

/** The secret in groups of four, which people type into an app that cannot scan. */
const inGroups = (secret: string) => secret.replaceAll(/(.{4})(?=.)/g, "$1 ");

/** The input for a one-time code. */
export const codeField = (label: string, hint: string): Html => html`<div class="field">
<label for="code">${label}</label>
<span class="hint" id="code-hint">${hint}</span>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="20" required autofocus aria-describedby="problem code-hint">
</div>
`;

/** The fields in the form that sets up an authenticator app. */
export function totpEnrolmentFields({ address, secret }: { address: string; secret: string }): Html {
  return html`<p>Scan this code with an authenticator app on your phone. On the phone itself, <a href="${address}">open the app</a>.</p>
<div class="qr" role="img" aria-label="QR code with the key of your account">${qrCode(address)}</div>
<p class="fine">If you cannot scan it, enter this key in the app: <code>${inGroups(secret)}</code></p>
${codeField("Code from the app", "Six digits.")}`;
}
