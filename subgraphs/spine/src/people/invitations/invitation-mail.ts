import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { renderMail } from "../../ground/mail/mail.js";
import type { MailComposer } from "../../ground/mail/mailer.js";
import { invitationPath } from "./invitation-path.js";
import { type OpenInvitationRow, openInvitationById } from "./open-invitation-statement.js";

export const invitationMailKind = "invitation";

/** Composes the mail from the invitation as it is when the mail is sent: after a resend both mails have the new link. */
export function invitationMail(database: Database, tokens: DerivedSecrets, issuer: string): MailComposer {
  return async (tenant, invitationId) => {
    const open = await database.reader.row<OpenInvitationRow>(
      openInvitationById,
      tenant,
      decodeId("inv", invitationId),
    );
    if (!open) return undefined;
    const token = tokens.derive(invitationId, open.token_nonce);
    const until = `${open.expires_at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    return renderMail({
      to: open.email,
      subject: `You are invited to ${open.tenant_name}`,
      paragraphs: [
        `You are invited to join ${open.tenant_name}. Use the link below to create your account. The link works once, until ${until}.`,
        "If you did not expect this invitation, you can ignore this message. No account is created without you.",
      ],
      link: { label: "Accept the invitation", url: `${issuer}${invitationPath}?token=${token}` },
    });
  };
}
