import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { CredentialKind } from "@factory/schema/vocabularies/credentials";
import type { SigningKeyType, WebhookDirection } from "@factory/schema/vocabularies/webhooks";
import type { CredentialService } from "../../credentials/credentials/credential.service.js";
import { verifyingKinds } from "../../credentials/credentials/credential.states.js";
import { credentialName } from "../../credentials/credentials/credential-name.js";
import { generateSecretOfType } from "../../ground/standard-webhooks/signing-secret.js";

/** The credential kinds that sign events, and those that verify deliveries. */
const usableKinds: Readonly<Record<WebhookDirection, readonly CredentialKind[]>> = {
  Outbound: ["WebhookSigning"],
  Inbound: verifyingKinds,
};

/** The input members that choose a subscription's secret. */
interface SigningInput {
  signingSecretRef?: string | null;
  signingKeyType?: SigningKeyType | null;
}

interface SigningCredential {
  readonly credentialId: string;
  readonly isNew: boolean;
  /** The symmetric secret that the platform has generated now. A private key is shown to nobody. */
  readonly shownSecret: string | null;
}

/**
 * The credential that a `signingSecretRef` names. A new name creates it. Throws REFERENCE_NOT_FOUND for another kind, and
 * PARAMETERS_INVALID for a `signingKeyType` that cannot be used.
 */
export async function signingCredential(
  transaction: Transaction,
  credentials: CredentialService,
  input: SigningInput,
  direction: WebhookDirection,
): Promise<SigningCredential | undefined> {
  const keyType = checkedKeyType(input, direction);
  if (input.signingSecretRef == null) return undefined;
  const namedCredential = await credentials.named(transaction, input.signingSecretRef);
  const kinds = usableKinds[direction];
  if (namedCredential && !kinds.includes(namedCredential.kind))
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: `The credential has the kind ${namedCredential.kind}. A subscription with the direction ${direction} needs one of the kinds ${kinds.join(", ")}.`,
      errors: [
        {
          pointer: "/input/signingSecretRef",
          code: "REFERENCE_NOT_FOUND",
          detail: `The value must name a credential of the kind ${kinds.join(" or ")}, or a name that is not used yet.`,
        },
      ],
    });
  if (namedCredential && keyType !== undefined)
    throw unusableKeyType("The credential exists already and keeps its key. Leave the member out, or use a new name.");
  if (namedCredential) return { credentialId: namedCredential.credentialId, isNew: false, shownSecret: null };
  const signingSecret = generateSecretOfType(keyType ?? "symmetric");
  const credential = await credentials.createIn(transaction, {
    name: credentialName(input.signingSecretRef),
    kind: "WebhookSigning",
    secret: { signingSecret },
  });
  const shownSecret = keyType === "ed25519" ? null : signingSecret;
  return { credentialId: credential.credentialId, isNew: true, shownSecret };
}

function checkedKeyType(
  { signingKeyType, signingSecretRef }: SigningInput,
  direction: WebhookDirection,
): SigningKeyType | undefined {
  if (signingKeyType == null) return undefined;
  if (direction === "Inbound") throw unusableKeyType("A subscription with the direction Inbound cannot have it.");
  if (signingSecretRef == null) throw unusableKeyType("It needs the name of the new credential in signingSecretRef.");
  return signingKeyType;
}

const unusableKeyType = (detail: string) =>
  new DomainError("PARAMETERS_INVALID", {
    detail: "The kind of the signing key cannot be chosen here. See errors.",
    errors: [{ pointer: "/input/signingKeyType", code: "FORMAT", detail }],
  });
