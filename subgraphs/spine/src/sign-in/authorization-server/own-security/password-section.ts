import { type Html, html } from "@factory/runtime/html/html";
import { passwordLength } from "../../../people/users/password-hash.js";

/** The form that changes the password, with the last attempt's problem. */
export interface PasswordForm {
  readonly csrfToken: string;
  readonly email: string;
  readonly minLength: number;
  readonly problem?: { readonly field: "currentPassword" | "newPassword"; readonly text: string } | undefined;
}

const max = String(passwordLength.max);

export function passwordSection({ csrfToken, email, minLength, problem }: PasswordForm): Html {
  const wrong = (field: string) =>
    problem?.field === field ? html`<span class="wrong" id="${field}-wrong">${problem.text}</span>` : undefined;
  const describedBy = (field: string, ...hints: string[]) => {
    const isWrong = problem?.field === field;
    const ids = [...(isWrong ? [`${field}-wrong`] : []), ...hints].join(" ");
    // the form stands below other sections, so the page opens at the problem
    return html`${isWrong ? html` aria-invalid="true" autofocus` : undefined}${ids && html` aria-describedby="${ids}"`}`;
  };
  return html`<section>
<h2>Password</h2>
<form method="post" novalidate>
<input type="hidden" name="formToken" value="${csrfToken}">
<input type="hidden" name="username" value="${email}" autocomplete="username">
<div class="field">
<label for="currentPassword">Current password</label>
${wrong("currentPassword")}
<input id="currentPassword" name="currentPassword" type="password" autocomplete="current-password" maxlength="${max}" required${describedBy("currentPassword")}>
</div>
<div class="field">
<label for="newPassword">New password</label>
<span class="hint" id="newPassword-hint">${String(minLength)} to ${max} characters. All other sessions end.</span>
${wrong("newPassword")}
<input id="newPassword" name="newPassword" type="password" autocomplete="new-password" maxlength="${max}" required${describedBy("newPassword", "newPassword-hint")}>
</div>
<button type="submit" name="action" value="change-password" class="plain">Change the password</button>
</form>
</section>`;
}
