import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { CredentialService } from "../credentials/credential.service.js";
import { type CredentialKind, verifyingKinds } from "../credentials/credential.states.js";
import { credentialName } from "../credentials/credential-name.js";
import { generateSigningSecret } from "../standard-webhooks/signing-secret.js";
import type { WebhookDirection } from "./webhook-subscription.states.js";

/** The kinds of credentials that sign events, and those that verify deliveries. */
const usableKinds: Readonly<Record<WebhookDirection, readonly CredentialKind[]>> = {
  Outbound: ["WebhookSigning"],
  Inbound: verifyingKinds,
};

interface SigningCredential {
  readonly credentialId: string;
  /** The secret, if the platform has generated it now. */
  readonly generated: string | null;
}

/** The credential that a `signingSecretRef` names. A new name creates it. Throws REFERENCE_NOT_FOUND for another kind. */
export async function signingCredential(
  transaction: Transaction,
  credentials: CredentialService,
  reference: string,
  direction: WebhookDirection,
): Promise<SigningCredential> {
  const known = await credentials.named(transaction, reference);
  const kinds = usableKinds[direction];
  if (known && !kinds.includes(known.kind))
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: `The credential has the kind ${known.kind}. A subscription with the direction ${direction} needs one of the kinds ${kinds.join(", ")}.`,
      errors: [
        {
          pointer: "/input/signingSecretRef",
          code: "REFERENCE_NOT_FOUND",
          detail: `The value must name a credential of the kind ${kinds.join(" or ")}, or a name that is not used yet.`,
        },
      ],
    });
  if (known) return { credentialId: known.credentialId, generated: null };
  const generated = generateSigningSecret();
  const created = await credentials.createIn(transaction, {
    name: credentialName(reference),
    kind: "WebhookSigning",
    secret: { signingSecret: generated },
  });
  return { credentialId: created.credentialId, generated };
}
