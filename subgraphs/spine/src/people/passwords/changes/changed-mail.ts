import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { renderMail } from "../../../ground/mail/mail.js";
import type { MailComposer } from "../../../ground/mail/mailer.js";
import { type ActivePersonRow, activePerson } from "./person-statement.js";
import { resetPath } from "./reset-path.js";

export const changedMailKind = "password-changed";

/** Tells a person that the password was changed, so that a thief cannot do it unnoticed. */
export function changedMail(database: Database, issuer: string): MailComposer {
  return async (tenant, userId) => {
    const id = decodeId("usr", userId);
    const user = await database.reader.row<ActivePersonRow>(activePerson, tenant, id);
    if (!user) return undefined;
    return renderMail({
      to: user.email,
      subject: "Your password was changed",
      paragraphs: [
        `The password of your account at ${user.organization} was changed, and all other sessions have ended.`,
        "If you did not do this, choose a new password now, and tell the administrator of your organization.",
      ],
      link: { label: "Choose a new password", url: `${issuer}${resetPath}` },
    });
  };
}
