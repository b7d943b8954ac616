import { html } from "@factory/runtime/html/html";
import type { FactorFields } from "../../second-factors/kinds/factor-kind.js";
import { maxWrongCodes } from "../../second-factors/locks/max-wrong-codes.js";
import type { LinkRequest } from "../../second-factors/locks/unlock-links.js";

const notices: Readonly<Record<LinkRequest, string>> = {
  Mailed: "We have mailed you a link.",
  MailedBefore: "We mailed you a link a short while ago. You can get another one 15 minutes after it.",
  Spent:
    "A link has unlocked your codes within the last 24 hours. Ask an administrator of your organization, or come back when they are over.",
  NotLocked: "Your codes are not locked any more. Open this page again.",
};

/** Replaces the question for a code, while all the person's codes are refused: the button mails a link. */
export function lockedFields(request?: LinkRequest): FactorFields {
  return {
    content: html`<div class="problem" role="alert">
<h2>Your codes are locked</h2>
<p>Codes and recovery codes are refused after ${String(maxWrongCodes)} wrong ones. The link in our mail unlocks them, and so does an administrator of your organization.</p>
</div>
${request && html`<p role="status"><strong>${notices[request]}</strong></p>`}
<input type="hidden" name="request" value="unlock-link">
`,
    button: "Mail me a link",
  };
}
