import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { CredentialVersions } from "../credentials/credentials/credential-versions.js";
import type { SecretDigest } from "../credentials/credentials/secret-digest.js";
import type { SecretMaterial } from "../credentials/credentials/secret-store.js";
import type { LockedCredential } from "./rotation-start.js";

interface Rotated {
  readonly versions: CredentialVersions;
  readonly digest: SecretDigest;
  readonly credential: LockedCredential;
  readonly secret: SecretMaterial;
}

/** Throws SECRET_UNCHANGED when a rotation would replace the current secret by itself. */
export async function requireOtherSecret(
  transaction: Transaction,
  { versions, digest, credential, secret }: Rotated,
): Promise<void> {
  const current = await versions.find(transaction, credential, credential.currentVersion);
  if (current?.stage !== "Current" || !digest.areEqual(secret, await versions.open(current))) return;
  const detail = "The secret is the current one of the credential. Rotate to another secret.";
  throw new DomainError("SECRET_UNCHANGED", {
    detail,
    errors: [{ pointer: "/input/secret", code: "CONFLICT", detail }],
  });
}
