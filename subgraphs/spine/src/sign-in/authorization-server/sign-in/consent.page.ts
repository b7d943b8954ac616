import { html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";

/** The consent page's data. */
interface ConsentForm {
  readonly clientName: string;
  readonly csrfToken: string;
  readonly email: string;
  readonly organization: string;
  /** Each scope's meaning, as `scopeDescriptions` says it. */
  readonly permissions: readonly string[];
  /** Where the browser goes next. */
  readonly returnsTo: string;
}

/** Asks the user to allow or deny the access. */
export function consentPage(form: ConsentForm): Page {
  const { clientName, csrfToken, email, organization, permissions, returnsTo } = form;
  return {
    title: `Allow ${clientName}?`,
    content: html`<h1>Allow access?</h1>
<p><strong>${clientName}</strong> asks to do this in your name:</p>
<ul class="scopes">
${permissions.map((permission) => html`<li>${permission}</li>\n`)}</ul>
<p class="quiet">You are signed in as <strong>${email}</strong> at <strong>${organization}</strong>. The application never gets more access than your own roles give you.</p>
<form method="post">
<input type="hidden" name="formToken" value="${csrfToken}">
<div class="actions">
<button type="submit" name="action" value="allow">Allow</button>
<button type="submit" name="action" value="deny" class="plain">Deny</button>
</div>
</form>
<p class="fine">Either way you return to ${returnsTo}.</p>`,
  };
}
