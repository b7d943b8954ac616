import { html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";
import type { FactorFields, FactorProblem } from "../../second-factors/kinds/factor-kind.js";

/** The page around a factor's fields. */
interface FactorPage {
  readonly title: string;
  /** Names the person who signs in or sets up a factor. */
  readonly lead: string;
  readonly csrfToken: string;
  /** The kind's name, which the form sends back as `factor`. */
  readonly kind: string;
  readonly fields: FactorFields;
  readonly problem?: FactorProblem | undefined;
  /** Other kinds that the person may choose instead: the link's query and its text. */
  readonly others: readonly { readonly query: string; readonly text: string }[];
}

/** Asks for a second factor, or sets one up. */
export function factorPage({ title, lead, csrfToken, kind, fields, problem, others }: FactorPage): Page {
  return {
    title: problem ? `Error: ${title}` : title,
    ...(fields.script === undefined ? {} : { script: fields.script }),
    content: html`<h1>${title}</h1>
<p class="quiet">${lead}</p>
${problem && problemSummary(problem)}
<form method="post" novalidate>
<input type="hidden" name="formToken" value="${csrfToken}">
<input type="hidden" name="factor" value="${kind}">
${fields.content}
<div class="actions">
<button type="submit" name="action" value="continue">${fields.button ?? "Continue"}</button>
<button type="submit" name="action" value="cancel" class="plain">Cancel</button>
</div>
</form>
${others.map(({ query, text }) => html`<p class="fine"><a href="?${query}">${text}</a></p>`)}`,
  };
}

/** It links to the field, whose `aria-describedby` names it, so that a screen reader reads it with the field. */
const problemSummary = ({ field, text }: FactorProblem) => html`<div class="problem" id="problem" role="alert">
<h2>There is a problem</h2>
<ul><li><a href="#${field}">${text}</a></li></ul>
</div>`;
