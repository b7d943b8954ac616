import { html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";
import { unsubscribePath } from "./unsubscribe-path.js";

interface Subscribed {
  readonly email: string;
  readonly category: string;
}

/** The page behind a mail's link. It changes nothing, since programs open links too; its button does. */
export function unsubscribePage(token: string, { email, category }: Subscribed): Page {
  return {
    title: "Unsubscribe",
    content: html`<h1>Unsubscribe</h1>
<p>The address <strong>${email}</strong> gets mails of the kind <strong>${category}</strong>.</p>
<form method="post" action="${unsubscribePath}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<div class="actions">
<button type="submit">Send no more of them</button>
</div>
</form>`,
  };
}

export function unsubscribedPage({ email, category }: Subscribed): Page {
  return {
    title: "You are unsubscribed",
    content: html`<h1>You are unsubscribed</h1>
<p>The address <strong>${email}</strong> gets no more mails of the kind <strong>${category}</strong>.</p>`,
  };
}
