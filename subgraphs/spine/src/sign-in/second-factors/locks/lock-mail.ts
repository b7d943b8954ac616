import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { renderMail } from "../../../ground/mail/mail.js";
import type { MailComposer } from "../../../ground/mail/mailer.js";
import { type ActivePersonRow, activePerson } from "../../../people/passwords/changes/person-statement.js";
import { resetPath } from "../../../people/passwords/changes/reset-path.js";
import { type LockedPersonRow, lockedPerson } from "./linked-account-statement.js";
import { maxWrongCodes } from "./max-wrong-codes.js";
import { unlockPath } from "./unlock-path.js";

export const lockedMailKind = "second-factors-locked";
export const unlockedMailKind = "second-factors-unlocked";

const timeOf = (time: Date | string) => `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Tells a person that the codes are locked, with the link that unlocks them. There is nothing to send after an unlocking. */
export function lockedMail(database: Database, tokens: DerivedSecrets, issuer: string): MailComposer {
  return async (tenant, userId) => {
    const id = decodeId("usr", userId);
    const person = await database.reader.row<LockedPersonRow>(lockedPerson, tenant, id);
    if (!person) return undefined;
    const { email: to, organization, open_nonce: nonce, link_expires_at: until, next_link_at: next } = person;
    const reason = `Somebody who knows your password entered ${maxWrongCodes} wrong codes as the second factor of your account at ${organization}. Codes of your authenticator apps and your recovery codes are refused now; passkeys work as before.`;
    const stranger = `If it was not you, choose a new password first: ${issuer}${resetPath}`;
    const subject = "Your second-factor codes are locked";
    if (nonce === null) {
      const link = next === null ? "" : `, or sign in after ${timeOf(next)} and ask for a link`;
      const how = `Ask the administrator of your organization to unlock them${link}. A link unlocks codes once in 24 hours.`;
      return renderMail({ to, subject, paragraphs: [reason, stranger, how] });
    }
    const how = `Use the link below to unlock your codes. The link works once, until ${until ? timeOf(until) : ""}. It changes nothing else.`;
    const url = `${issuer}${unlockPath}?token=${tokens.derive(userId, nonce)}`;
    return renderMail({ to, subject, paragraphs: [reason, stranger, how], link: { label: "Unlock your codes", url } });
  };
}

/** Tells a person that the codes are unlocked, so that nobody can do it unnoticed. */
export function unlockedMail(database: Database, issuer: string): MailComposer {
  return async (tenant, userId) => {
    const person = await database.reader.row<ActivePersonRow>(activePerson, tenant, decodeId("usr", userId));
    if (!person) return undefined;
    return renderMail({
      to: person.email,
      subject: "Your second-factor codes are unlocked",
      paragraphs: [
        `The codes of your account at ${person.organization} are accepted again, after an administrator or a link in a mail has unlocked them.`,
        "If you did not expect this, choose a new password now, and tell the administrator of your organization.",
      ],
      link: { label: "Choose a new password", url: `${issuer}${resetPath}` },
    });
  };
}
