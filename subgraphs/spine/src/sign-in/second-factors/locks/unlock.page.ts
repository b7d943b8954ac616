import { html } from "@factory/runtime/html/html";
import type { Page } from "../../../ground/pages/page.js";
import { maxWrongCodes } from "./max-wrong-codes.js";
import { unlockPath } from "./unlock-path.js";

/** A link's holder unlocks by the button. Opening the page changes nothing, because mail scanners open links. */
export function unlockPage(account: { token: string; email: string; organization: string }): Page {
  const { token, email, organization } = account;
  return {
    title: "Unlock your codes",
    content: html`<h1>Unlock your codes</h1>
<p class="quiet">For <strong>${email}</strong> at ${organization}</p>
<p>After ${String(maxWrongCodes)} wrong codes, your account accepts neither codes of authenticator apps nor recovery codes. If you did not enter them, somebody knows your password: choose a new one first.</p>
<form method="post" action="${unlockPath}">
<input type="hidden" name="token" value="${token}">
<div class="actions">
<button type="submit">Unlock my codes</button>
</div>
</form>`,
  };
}

/** Without a link: how to get one. */
export const unlockHelpPage: Page = {
  title: "Locked codes",
  content: html`<h1>Locked codes</h1>
<p>After ${String(maxWrongCodes)} wrong codes, an account accepts neither codes of authenticator apps nor recovery codes. A passkey works as before.</p>
<p>We have mailed you a link that unlocks the codes. For a new link, sign in with your password: the page that asks for the code mails it. A link unlocks codes once in 24 hours; an administrator of your organization can do it at any time.</p>`,
};

export const unlockedPage: Page = {
  title: "Your codes are unlocked",
  content: html`<h1>Your codes are unlocked</h1>
<p>Sign in again with your password and a code. After many wrong codes you may have to wait for 15 minutes.</p>`,
};

export const unknownUnlockLinkPage: Page = {
  title: "This link does not work",
  content: html`<h1>This link does not work</h1>
<p>The link was used, has expired or is incomplete, or your codes are not locked. For a new link, sign in with your password.</p>`,
};
