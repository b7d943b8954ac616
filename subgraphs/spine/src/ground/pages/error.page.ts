import { html } from "@factory/runtime/html/html";
import type { Page } from "./page.js";

/** `title` and `detail` are for the reader; `traceId` is what support asks for. */
interface ErrorText {
  readonly title: string;
  readonly detail: string;
  readonly traceId: string;
}

/** A page that says what went wrong and what to do next. */
export function errorPage({ title, detail, traceId }: ErrorText): Page {
  return {
    title,
    content: html`<h1>${title}</h1>
<p>${detail}</p>
<p class="fine">If you ask for help, give this number: ${traceId}</p>`,
  };
}
