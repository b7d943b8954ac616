import { type Html, html } from "@factory/runtime/html/html";
import type { EnrolledFactor, FactorKind } from "../../second-factors/kinds/factor-kind.js";
import { maxFactorNameLength } from "../../second-factors/kinds/factor-name.js";
import { actionForm } from "./action-form.js";

/** The person's second factors, and the kinds that can be set up. */
export interface FactorSection {
  readonly factors: readonly EnrolledFactor[];
  readonly recoveryCodesLeft: number;
  readonly isFactorRequired: boolean;
  /** Whether codes are refused after too many wrong ones. */
  readonly isLocked: boolean;
  readonly addable: readonly Pick<FactorKind, "kind" | "label" | "enrolment">[];
  readonly csrfToken: string;
}

/** The second factors, each with a form that changes it, and the links that add one. */
export function factorSection(section: FactorSection): Html {
  const { factors, addable, recoveryCodesLeft, isFactorRequired, isLocked } = section;
  const none = isFactorRequired
    ? "You have none. Your organization requires one."
    : "You have none. With a second factor, nobody can sign in with your password alone.";
  return html`<section>
<h2>Second factors</h2>
${isLocked ? lockNotice(section) : undefined}
${factors.length === 0 ? html`<p>${none}</p>` : html`<ul class="rows">${factors.map((factor) => factorRow(factor, section))}</ul>`}
<div class="actions">
${addable.map(({ kind, label, enrolment }) => html`<a class="button" href="?add=${kind}">${enrolment?.title ?? label}</a>\n`)}</div>
${factors.length === 0 ? undefined : recoveryCodes(recoveryCodesLeft, section)}
</section>`;
}

function factorRow({ factorId, kind, name, addedAt, lastUsedAt, isRenamable }: EnrolledFactor, section: FactorSection) {
  const { csrfToken, addable } = section;
  const label = addable.find((addableKind) => addableKind.kind === kind)?.label ?? kind;
  const addition = html`${label === name ? "Added" : `${label}, added`} ${dayOf(addedAt)}`;
  return html`<li>
<strong>${name}</strong><br>
<span class="quiet">${addition}${lastUsedAt === null ? undefined : html`, last used ${dayOf(lastUsedAt)}`}</span>
<details>
<summary>${isRenamable ? "Rename or remove" : "Remove"}<span class="apart"> ${name}</span></summary>
${isRenamable ? renameForm({ factorId, name }, csrfToken) : undefined}
${actionForm({ csrfToken, action: "remove-factor", button: "Remove", fields: { factorId } })}
</details>
</li>`;
}

const renameForm = ({ factorId, name }: Pick<EnrolledFactor, "factorId" | "name">, csrfToken: string) =>
  html`<form method="post">
<input type="hidden" name="formToken" value="${csrfToken}">
<input type="hidden" name="factorId" value="${factorId}">
<div class="field">
<label for="name-${factorId}">Name</label>
<input id="name-${factorId}" name="name" type="text" autocomplete="off" maxlength="${String(maxFactorNameLength)}" value="${name}" required>
</div>
<button type="submit" name="action" value="rename-factor" class="plain">Save the name</button>
</form>`;

const recoveryCodes = (remaining: number, { csrfToken }: FactorSection) =>
  html`<p class="fine">You have ${remaining === 1 ? "one recovery code" : `${remaining} recovery codes`} left.</p>
${actionForm({ csrfToken, action: "renew-recovery-codes", button: "Get new recovery codes" })}`;

const lockNotice = ({ csrfToken }: FactorSection) =>
  html`<div class="problem" role="alert">
<p>Your codes are locked after too many wrong ones. The link in our mail unlocks them, and so does an administrator of your organization.</p>
</div>
${actionForm({ csrfToken, action: "mail-unlock-link", button: "Mail me a link" })}`;

const dayOf = (time: Date): Html => html`<time>${time.toISOString().slice(0, 10)}</time>`;
