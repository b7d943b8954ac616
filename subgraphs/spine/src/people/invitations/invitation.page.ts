import { type Html, html } from "@factory/runtime/html/html";
import type { Page } from "../../ground/pages/page.js";
import { passwordLength } from "../users/password-hash.js";
import { invitationPath } from "./invitation-path.js";

interface InvitationForm {
  readonly token: string;
  readonly organisation: string;
  readonly email: string;
  readonly displayName: string;
  readonly passwordMinLength: number;
  readonly problem?: InvitationProblem;
}

/** The problem with one form field. */
export interface InvitationProblem {
  readonly field: "displayName" | "password";
  readonly text: string;
}

export function invitationPage(form: InvitationForm): Page {
  const { token, organisation, email, displayName, passwordMinLength, problem } = form;
  const fields = [
    {
      name: "displayName",
      label: "Your name",
      type: "text",
      autocomplete: "name",
      hint: "Other users see this name. You can leave it empty.",
      value: displayName,
      max: "200",
    },
    {
      name: "password",
      label: "Password",
      type: "password",
      autocomplete: "new-password",
      hint: `${passwordMinLength} to ${passwordLength.max} characters.`,
      value: "",
      max: String(passwordLength.max),
    },
  ] as const satisfies readonly Field[];
  return {
    title: `${problem ? "Error: " : ""}Join ${organisation}`,
    content: html`<h1>Join ${organisation}</h1>
<p class="quiet">You will sign in as <strong>${email}</strong>.</p>
${problem && summary(problem)}
<form method="post" action="${invitationPath}" novalidate>
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${email}" autocomplete="username">
${fields.map((formField) => field(formField, problem))}
<div class="actions">
<button type="submit">Join</button>
</div>
</form>`,
  };
}

export function joinedPage(organisation: string, email: string): Page {
  return {
    title: `You have joined ${organisation}`,
    content: html`<h1>You have joined ${organisation}</h1>
<p>From now on you sign in as <strong>${email}</strong> with the password that you chose.</p>`,
  };
}

/** Screen readers announce the summary first. */
function summary({ field: name, text }: InvitationProblem): Html {
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
<h2>There is a problem</h2>
<ul><li><a href="#${name}">${text}</a></li></ul>
</div>`;
}

interface Field {
  readonly name: InvitationProblem["field"];
  readonly label: string;
  readonly type: string;
  readonly autocomplete: string;
  readonly hint: string;
  readonly value: string;
  readonly max: string;
}

function field(
  { name, label, type, autocomplete, hint, value, max }: Field,
  problem: InvitationProblem | undefined,
): Html {
  const wrong = problem?.field === name ? problem.text : undefined;
  const descriptionIds = wrong === undefined ? `${name}-hint` : `${name}-hint ${name}-wrong`;
  const invalid = wrong === undefined ? undefined : html` aria-invalid="true"`;
  const focus = problem === undefined && name === "password" ? html` required autofocus` : undefined;
  return html`<div class="field">
<label for="${name}">${label}</label>
<span class="hint" id="${name}-hint">${hint}</span>
${wrong && html`<span class="wrong" id="${name}-wrong">${wrong}</span>`}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" maxlength="${max}" aria-describedby="${descriptionIds}"${invalid}${focus}>
</div>
`;
}
