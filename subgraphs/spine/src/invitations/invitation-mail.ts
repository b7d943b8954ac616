import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { mailOf } from "../mail/mail.js";
import type { MailComposer } from "../mail/mailer.js";
import { invitationPath } from "./invitation-path.js";

export const invitationMailKind = "invitation";

const openInvitation = tenantStatement(
  "open_invitation",
  `select email, token_nonce, expires_at, name as tenant_name
   from invitations join tenants using (tenant_id)
   where invitations.tenant_id = scope.tenant and invitation_id = $2
     and invitations.status = 'Pending' and expires_at > now()
   limit 1`,
);

interface OpenInvitation {
  email: string;
  token_nonce: string;
  expires_at: Date;
  tenant_name: string;
}

/** Of an invitation as it is when the mail leaves: after a resend both mails carry the new link. */
export function invitationMail(database: Database, tokens: DerivedSecrets, issuer: string): MailComposer {
  return async (tenant, invitationId) => {
    const open = await database.reader.row<OpenInvitation>(openInvitation, tenant, decodeId("inv", invitationId));
    if (!open) return undefined;
    const token = tokens.derive(invitationId, open.token_nonce);
    const until = `${open.expires_at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    return mailOf({
      to: open.email,
      subject: `You are invited to ${open.tenant_name}`,
      paragraphs: [
        `You are invited to ${open.tenant_name}. The link below opens an account there; it can be used once, until ${until}.`,
        "If you do not know who invited you, ignore this message: nothing happens without you.",
      ],
      link: { label: "Accept the invitation", url: `${issuer}${invitationPath}?token=${token}` },
    });
  };
}
