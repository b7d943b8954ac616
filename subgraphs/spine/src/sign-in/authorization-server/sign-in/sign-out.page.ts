import { html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";

export function signOutPage({ email, csrfToken }: { email: string; csrfToken: string }): Page {
  return {
    title: "Sign out?",
    content: html`<h1>Sign out?</h1>
<p>You are signed in as <strong>${email}</strong> in this browser. Applications that you are using stay signed in until you sign out there.</p>
<form method="post">
<input type="hidden" name="formToken" value="${csrfToken}">
<div class="actions">
<button type="submit" autofocus>Sign out</button>
</div>
</form>`,
  };
}

export const signedOutPage: Page = {
  title: "Signed out",
  content: html`<h1>You are signed out</h1>
<p>Nobody is signed in here in this browser any more. You can close this page.</p>`,
};
