import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { renderMail } from "../../../ground/mail/mail.js";
import type { MailComposer, Mailer } from "../../../ground/mail/mailer.js";
import { type ActivePersonRow, activePerson } from "../../../people/passwords/changes/person-statement.js";
import { type FactorKindName, factorKindNames } from "./factor-kind.js";
import { ownSecurityPath } from "./own-security-path.js";

/** The changes that a person is told about. */
export type FactorChange = "added" | "removed";

const changes: readonly FactorChange[] = ["added", "removed"];

const names: Readonly<Record<FactorKindName, string>> = {
  Passkey: "passkey",
  Totp: "authenticator app",
  RecoveryCode: "recovery code",
};

/** The mail kind that tells a person about a change. */
export const factorMailKind = (change: FactorChange, kind: FactorKindName) => `factor-${change}-${kind}`;

/** Registers the mails that tell people about new and removed factors. */
export function registerFactorMails(mailer: Mailer, database: Database, issuer: string): void {
  for (const kind of factorKindNames)
    for (const change of changes)
      mailer.register(factorMailKind(change, kind), factorMail(database, issuer, `${names[kind]} was ${change}`));
}

function factorMail(database: Database, issuer: string, news: string): MailComposer {
  return async (tenant, userId) => {
    const person = await database.reader.row<ActivePersonRow>(activePerson, tenant, decodeId("usr", userId));
    if (!person) return undefined;
    const sentence = `${/^[aeiou]/.test(news) ? "An" : "A"} ${news}`;
    return renderMail({
      to: person.email,
      subject: `${sentence} (${person.organization})`,
      paragraphs: [
        `${sentence} for your account at ${person.organization}.`,
        "If you did not do this, open the page for your security, change your password and your second factors, and tell the administrator of your organization.",
      ],
      link: { label: "Your security", url: `${issuer}${ownSecurityPath}` },
    });
  };
}
