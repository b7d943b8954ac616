import { type Html, html } from "@factory/runtime/html/html";
import type { Page } from "../../pages/page.js";
import type { EnrolledFactor } from "../../second-factors/kinds/factor-kind.js";
import type { OwnSession } from "../own-sessions/own-sessions.js";
import { signOutPath } from "../sign-in/sign-out.js";
import { actionForm } from "./action-form.js";
import { type PasswordForm, passwordSection } from "./password-section.js";
import { sessionSection } from "./session-section.js";

/** The facts of a person that the page shows. */
export interface OwnSecurity {
  readonly email: string;
  readonly organization: string;
  readonly csrfToken: string;
  readonly factors: readonly EnrolledFactor[];
  readonly recoveryCodesLeft: number;
  readonly isFactorRequired: boolean;
  /** The kinds that can be set up: the name for the address, and the name for people. */
  readonly addable: readonly { readonly kind: string; readonly label: string }[];
  readonly passwordMinLength: number;
  readonly passwordProblem?: PasswordForm["problem"];
  readonly sessions: readonly OwnSession[];
  /** The result of the last action. */
  readonly notice?: string | undefined;
}

/** The page on which people change what protects their own account. */
export function ownSecurityPage(shown: OwnSecurity): Page {
  const { email, organization, notice, csrfToken, passwordMinLength: minLength, passwordProblem: problem } = shown;
  return {
    title: problem ? "Error: Your security" : "Your security",
    content: html`<h1>Your security</h1>
<p class="quiet"><strong>${email}</strong> at ${organization}</p>
${notice && html`<p role="status"><strong>${notice}</strong></p>`}
${factorSection(shown)}
${passwordSection({ csrfToken, email, minLength, problem })}
${sessionSection(shown)}
<p class="fine"><a href="${signOutPath}">Sign out</a></p>`,
  };
}

function factorSection({ factors, addable, recoveryCodesLeft, isFactorRequired, csrfToken }: OwnSecurity): Html {
  const none = isFactorRequired
    ? "You have none. Your organization requires one."
    : "You have none. With a second factor, nobody can sign in with your password alone.";
  return html`<section>
<h2>Second factors</h2>
${factors.length === 0 ? html`<p>${none}</p>` : html`<ul class="rows">${factors.map((factor) => factorRow(factor, csrfToken))}</ul>`}
${addable.map(({ kind, label }) => html`<p><a href="?add=${kind}">Add: ${label}</a></p>`)}
${factors.length === 0 ? undefined : recoveryCodes(recoveryCodesLeft, csrfToken)}
</section>`;
}

const factorRow = ({ factorId, name, addedAt, lastUsedAt }: EnrolledFactor, csrfToken: string) => html`<li>
<strong>${name}</strong><br>
<span class="quiet">Added ${dayOf(addedAt)}${lastUsedAt ? `, last used ${dayOf(lastUsedAt)}` : ""}</span>
${actionForm({ csrfToken, action: "remove-factor", button: "Remove", fields: { factorId } })}
</li>`;

const recoveryCodes = (left: number, csrfToken: string) => html`<p>You have ${String(left)} recovery codes left.</p>
${actionForm({ csrfToken, action: "renew-recovery-codes", button: "Get new recovery codes" })}`;

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
