import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { renderMail } from "../../ground/mail/mail.js";
import type { MailComposer } from "../../ground/mail/mailer.js";
import { readInvitation } from "./invitation.view.js";
import { invitationPath } from "./invitation-path.js";
import { type OpenInvitationRow, openInvitationById } from "./open-invitation-statement.js";

export const invitationMailKind = "invitation";

/** Composes the mail from the invitation as it is when the mail is sent: after a resend both mails have the new link. */
export function invitationMail(database: Database, tokens: DerivedSecrets, issuer: string): MailComposer {
  return async (tenant, invitationId) => {
    const uuid = decodeId("inv", invitationId);
    const row = await database.reader.row<OpenInvitationRow>(openInvitationById, tenant, uuid);
    if (!row) return undefined;
    const { email, tokenNonce, expiresAt } = readInvitation(row);
    const token = tokens.derive(invitationId, tokenNonce);
    const until = `${expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    return renderMail({
      to: email,
      subject: `You are invited to ${row.tenant_name}`,
      paragraphs: [
        `You are invited to join ${row.tenant_name}. Use the link below to create your account. The link works once, until ${until}.`,
        "If you did not expect this invitation, you can ignore this message. No account is created without you.",
      ],
      link: { label: "Accept the invitation", url: `${issuer}${invitationPath}?token=${token}` },
    });
  };
}
