import { html } from "../../pages/html.js";
import type { Page } from "../../pages/page.js";

export interface ConsentForm {
  readonly clientName: string;
  readonly formToken: string;
  readonly email: string;
  readonly organisation: string;
  /** What each scope allows, in words. */
  readonly permissions: readonly string[];
  /** Where the browser goes next. */
  readonly returnsTo: string;
}

export function consentPage(form: ConsentForm): Page {
  const { clientName, formToken, email, organisation, permissions, returnsTo } = form;
  return {
    title: `Allow ${clientName}?`,
    content: html`<h1>Allow access?</h1>
<p><strong>${clientName}</strong> asks to do this in your name:</p>
<ul class="scopes">
${permissions.map((permission) => html`<li>${permission}</li>\n`)}</ul>
<p class="quiet">You are signed in as <strong>${email}</strong> at <strong>${organisation}</strong>. It never gets more than your own roles allow.</p>
<form method="post">
<input type="hidden" name="formToken" value="${formToken}">
<div class="actions">
<button type="submit" name="action" value="allow">Allow</button>
<button type="submit" name="action" value="deny" class="plain">Deny</button>
</div>
</form>
<p class="fine">Either way you return to ${returnsTo}.</p>`,
  };
}
