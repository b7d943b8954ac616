import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { renderMail } from "../../../ground/mail/mail.js";
import type { MailComposer } from "../../../ground/mail/mailer.js";
import { resetPath } from "../changes/reset-path.js";
import { type OpenResetRow, openResetById } from "./open-reset-statement.js";

export const resetMailKind = "password-reset";

/** Composes the mail with the link. The link has the platform's own host, whatever the request said. */
export function resetMail(database: Database, tokens: DerivedSecrets, issuer: string): MailComposer {
  return async (tenant, resetId) => {
    const id = decodeId("pwr", resetId);
    const open = await database.reader.row<OpenResetRow>(openResetById, tenant, id);
    if (!open) return undefined;
    const token = tokens.derive(resetId, open.token_nonce);
    const until = `${new Date(open.expires_at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    return renderMail({
      to: open.email,
      subject: "Choose a new password",
      paragraphs: [
        `Use the link below to choose a new password for your account at ${open.organization}. The link works once, until ${until}.`,
        "If you did not ask for it, you can ignore this message. Your password stays as it is.",
      ],
      link: { label: "Choose a new password", url: `${issuer}${resetPath}?token=${token}` },
    });
  };
}
