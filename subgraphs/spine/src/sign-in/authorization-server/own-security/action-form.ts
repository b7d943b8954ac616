import { type Html, html } from "@factory/runtime/html/html";

interface ActionForm {
  readonly csrfToken: string;
  readonly action: string;
  readonly button: string | Html;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A form with one button, for one action on the page. */
export function actionForm({ csrfToken, action, button, fields = {} }: ActionForm): Html {
  const hidden = Object.entries({ formToken: csrfToken, ...fields });
  return html`<form method="post">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit" name="action" value="${action}" class="plain">${button}</button>
</form>`;
}
