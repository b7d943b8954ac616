import { type Html, html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";
import { resetPath } from "../../../people/passwords/changes/reset-path.js";
import { ownSecurityPath } from "../../second-factors/kinds/own-security-path.js";
import type { IdentificationForm } from "./identification-step.js";

/** The sign-in page's data. */
interface SignInForm {
  readonly clientName: string;
  readonly csrfToken: string;
  readonly username: string;
  /** Undefined: the client serves one organization, so the form does not ask for it. */
  readonly tenant: string | undefined;
  /** The forms that ask for neither a name nor a password. */
  readonly others: readonly IdentificationForm[];
  readonly problem?: SignInProblem;
}

export interface SignInProblem {
  readonly text: string;
  readonly advice?: string;
  /** The fields to correct, each with its problem. */
  readonly fields: Readonly<Partial<Record<SignInField, string>>>;
}

type SignInField = "username" | "password" | "tenant";

/** Asks for e-mail address and password, with the last attempt's problem. */
export function signInPage({ clientName, csrfToken, username, tenant, others, problem }: SignInForm): Page {
  const first = problem ? undefined : username === "" ? "username" : "password";
  const fields = [
    field({ name: "username", label: "E-mail address", type: "email", autocomplete: "username", value: username }),
    field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", value: "" }),
    ...(tenant === undefined
      ? []
      : [
          field({
            name: "tenant",
            label: "Organization",
            type: "text",
            autocomplete: "organization",
            value: tenant,
            hint: "The short name of your organization. Needed only if you belong to several.",
          }),
        ]),
  ];
  const script = others.find(({ fields: { script } }) => script !== undefined)?.fields.script;
  return {
    title: problem ? "Error: Sign in" : "Sign in",
    ...(script === undefined ? {} : { script }),
    content: html`<h1>Sign in</h1>
<p class="quiet">to continue to <strong>${clientName}</strong></p>
${problem && summary(problem)}
<form method="post" novalidate>
<input type="hidden" name="formToken" value="${csrfToken}">
${fields.map((item) => item(first, problem))}
<div class="actions">
<button type="submit" name="action" value="sign-in">Sign in</button>
<button type="submit" name="action" value="cancel" class="plain">Cancel</button>
</div>
</form>
${others.map((other) => otherForm(other, csrfToken))}
<p class="fine"><a href="${resetPath}">Forgot your password?</a><br>
<a href="${ownSecurityPath}">Change your password or your second factor</a></p>`,
  };
}

/** Hidden until its script has found that the browser can do it. */
const otherForm = ({ kind, fields }: IdentificationForm, csrfToken: string): Html => html`<div data-offer hidden>
<p class="or">or</p>
<form method="post">
<input type="hidden" name="formToken" value="${csrfToken}">
<input type="hidden" name="factor" value="${kind}">
${fields.content}
<button type="submit" name="action" value="continue" class="plain">${fields.button ?? "Continue"}</button>
</form>
</div>`;

/** A screen reader reads this first. It links to each field to correct. */
function summary({ text, advice, fields }: SignInProblem): Html {
  const links = Object.entries(fields).map(([name, wrong]) => html`<li><a href="#${name}">${wrong}</a></li>`);
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
<h2>${text}</h2>
${advice && html`<p>${advice}</p>`}
${links.length === 0 ? undefined : html`<ul>${links}</ul>`}
</div>`;
}

interface Field {
  readonly name: SignInField;
  readonly label: string;
  readonly type: "email" | "password" | "text";
  readonly autocomplete: string;
  readonly value: string;
  readonly hint?: string;
}

function field({ name, label, type, autocomplete, value, hint }: Field) {
  return (first: string | undefined, problem: SignInProblem | undefined): Html => {
    const wrong = problem?.fields[name];
    const description = [hint && `${name}-hint`, wrong && `${name}-wrong`].filter(Boolean).join(" ");
    const attributes = [
      description === "" ? undefined : html` aria-describedby="${description}"`,
      wrong === undefined ? undefined : html` aria-invalid="true"`,
      name === "tenant" ? undefined : html` required`,
      type === "email" || name === "tenant" ? html` autocapitalize="none" spellcheck="false"` : undefined,
      first === name ? html` autofocus` : undefined,
    ];
    return html`<div class="field">
<label for="${name}">${label}</label>
${hint && html`<span class="hint" id="${name}-hint">${hint}</span>`}
${wrong && html`<span class="wrong" id="${name}-wrong">${wrong}</span>`}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" maxlength="254"${attributes}>
</div>
`;
  };
}
