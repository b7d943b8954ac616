import { html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";
import type { OwnSession } from "../own-sessions/own-sessions.js";
import { signOutPath } from "../sign-in/sign-out.js";
import { type FactorSection, factorSection } from "./factor-section.js";
import { type PasswordForm, passwordSection } from "./password-section.js";
import { sessionSection } from "./session-section.js";

/** The facts about a person that the page shows. */
export interface OwnSecurity extends FactorSection {
  readonly email: string;
  readonly organization: string;
  readonly passwordMinLength: number;
  readonly passwordProblem?: PasswordForm["problem"];
  readonly sessions: readonly OwnSession[];
  /** The last action's result. */
  readonly notice?: string | undefined;
}

/** The page on which people change what protects their own account. */
export function ownSecurityPage(facts: OwnSecurity): Page {
  const { email, organization, notice, csrfToken, passwordMinLength: minLength, passwordProblem: problem } = facts;
  return {
    title: problem ? "Error: Your security" : "Your security",
    content: html`<h1>Your security</h1>
<p class="quiet"><strong>${email}</strong> at ${organization}</p>
${notice && html`<p role="status"><strong>${notice}</strong></p>`}
${factorSection(facts)}
${passwordSection({ csrfToken, email, minLength, problem })}
${sessionSection(facts)}
<p class="fine"><a href="${signOutPath}">Sign out</a></p>`,
  };
}
