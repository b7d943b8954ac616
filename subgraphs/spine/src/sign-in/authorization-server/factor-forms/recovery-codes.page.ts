import { html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";

/** Shows new recovery codes, once. The form goes on. */
export function recoveryCodesPage({ csrfToken, codes }: { csrfToken: string; codes: readonly string[] }): Page {
  return {
    title: "Save your recovery codes",
    content: html`<h1>Save your recovery codes</h1>
<p>With one of these codes you can sign in if you lose your second factor. Each works once. They are not shown again.</p>
<ul class="codes">
${codes.map((code) => html`<li><code>${code}</code></li>\n`)}</ul>
${continueForm(csrfToken)}`,
  };
}

/** The page for a person who has seen the codes and loads the page again. */
export function factorAddedPage(csrfToken: string): Page {
  return {
    title: "Your second factor is set up",
    content: html`<h1>Your second factor is set up</h1>
<p>From now on each sign-in asks for a second factor.</p>
${continueForm(csrfToken)}`,
  };
}

const continueForm = (csrfToken: string) => html`<form method="post">
<input type="hidden" name="formToken" value="${csrfToken}">
<div class="actions">
<button type="submit" name="action" value="continue">Continue</button>
</div>
</form>`;
