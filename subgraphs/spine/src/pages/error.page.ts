import { html } from "./html.js";
import type { Page } from "./page.js";

export interface ErrorText {
  readonly title: string;
  readonly detail: string;
  readonly traceId: string;
}

export function errorPage({ title, detail, traceId }: ErrorText): Page {
  return {
    title,
    content: html`<h1>${title}</h1>
<p>${detail}</p>
<p class="fine">If you ask for help, say this number: ${traceId}</p>`,
  };
}
