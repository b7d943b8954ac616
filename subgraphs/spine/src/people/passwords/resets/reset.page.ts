import { type Html, html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";
import { passwordLength } from "../../users/password-hash.js";
import { resetPath } from "../changes/reset-path.js";

/** Asks for the address to which a link is mailed. */
export function requestResetPage(problem?: string): Page {
  return {
    title: `${problem ? "Error: " : ""}Reset your password`,
    content: html`<h1>Reset your password</h1>
<p class="quiet">We send you a link with which you choose a new password.</p>
${problem && summary("email", problem)}
<form method="post" action="${resetPath}" novalidate>
<div class="field">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required autofocus${described(problem)}>
</div>
<div class="field">
<label for="tenant">Organization</label>
<span class="hint" id="tenant-hint">The short name of your organization. You can leave it empty.</span>
<input id="tenant" name="tenant" type="text" autocomplete="organization" autocapitalize="none" spellcheck="false" maxlength="63" aria-describedby="tenant-hint">
</div>
<div class="actions">
<button type="submit">Send the link</button>
</div>
</form>`,
  };
}

/** The same page for every address. */
export const requestedPage: Page = {
  title: "Look into your mail",
  content: html`<h1>Look into your mail</h1>
<p>If the address belongs to an account, a mail with a link is on its way. The link works once, for 30 minutes.</p>
<p class="fine">No mail after a few minutes? Check the address and the folder for spam. We send at most three links in an hour.</p>`,
};

/** The form that a link's holder sees. */
interface NewPasswordForm {
  readonly token: string;
  readonly email: string;
  readonly organization: string;
  readonly passwordMinLength: number;
  readonly problem?: string | undefined;
}

/** Asks for the new password. */
export function newPasswordPage({ token, email, organization, passwordMinLength, problem }: NewPasswordForm): Page {
  return {
    title: `${problem ? "Error: " : ""}Choose a new password`,
    content: html`<h1>Choose a new password</h1>
<p class="quiet">For <strong>${email}</strong> at ${organization}</p>
${problem && summary("password", problem)}
<form method="post" action="${resetPath}" novalidate>
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${email}" autocomplete="username">
<div class="field">
<label for="password">New password</label>
<span class="hint" id="password-hint">${String(passwordMinLength)} to ${String(passwordLength.max)} characters.</span>
<input id="password" name="password" type="password" autocomplete="new-password" maxlength="${String(passwordLength.max)}" required autofocus${described(problem, "password-hint")}>
</div>
<div class="actions">
<button type="submit">Change the password</button>
</div>
</form>`,
  };
}

export const resetDonePage: Page = {
  title: "Your password is changed",
  content: html`<h1>Your password is changed</h1>
<p>Sign in again in your applications. All other sessions have ended. If you have a second factor, you need it as before.</p>`,
};

export const unknownResetLinkPage: Page = {
  title: "This link does not work",
  content: html`<h1>This link does not work</h1>
<p>The link was used, has expired or is incomplete.</p>
<a class="button" href="${resetPath}">Ask for a new link</a>`,
};

/** The attributes for a form field: a screen reader reads the problem and the hint with it. */
function described(problem: string | undefined, hint?: string): Html {
  const ids = [problem && "problem", hint].filter(Boolean).join(" ");
  return html`${problem && html` aria-invalid="true"`}${ids && html` aria-describedby="${ids}"`}`;
}

const summary = (field: string, text: string): Html => html`<div class="problem" id="problem" role="alert">
<h2>There is a problem</h2>
<ul><li><a href="#${field}">${text}</a></li></ul>
</div>`;
