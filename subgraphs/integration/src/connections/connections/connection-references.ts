import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { AuthMode, AuthModel } from "@factory/schema/vocabularies/connections";
import { verifyingKinds } from "../../credentials/credentials/credential.states.js";
import { credentialName } from "../../credentials/credentials/credential-name.js";
import { hasTools, refuseAgents } from "../../providers/agent-access/agent-access.js";
import {
  type ConnectionPartsRow,
  type CredentialPartsRow,
  connectionParts,
  credentialParts,
} from "./connection-parts-statement.js";

interface CredentialReferences {
  readonly credentialRef: string | null;
  readonly webhookSecretRef: string | null;
}

/** The connection's references that are checked, and how strictly. */
interface WantedReferences extends CredentialReferences {
  readonly providerId: string;
  readonly authMode: AuthMode;
  readonly strictReferences: boolean;
  readonly strictAuthModel: boolean;
  /** The principal that establishes a connection to the provider. */
  readonly founder?: Principal;
}

/** The credentials that the references name; null for an external reference. */
interface FoundCredentials {
  readonly credentialId: string | null;
  readonly webhookCredentialId: string | null;
}

/**
 * Finds a connection's credentials, and holds its provider until the transaction ends. Throws REFERENCE_NOT_FOUND,
 * INVALID_STATE for a provider that cannot be called, AUTH_MODE_NOT_SUPPORTED under `strictAuthModel`, or SELF_APPROVAL
 * for an agent that establishes a connection to a tool server.
 */
export async function resolveReferences(
  { execute, tenant }: Transaction,
  references: WantedReferences,
): Promise<FoundCredentials> {
  const [credential, webhookCredential] = namesOf(references);
  const provider = decodeId("prv", references.providerId) ?? null;
  const values = connectionParts.valuesOf({ tenant: tenant.uuid, provider, credential, webhookCredential });
  const [partsRow] = await execute<ConnectionPartsRow>(connectionParts, values);
  if (!partsRow || partsRow.provider_status === null || partsRow.auth_model === null)
    throw refusedReferences([missing("providerId", "Must be the id of a provider of the tenant.")]);
  requireCallable(partsRow.provider_status);
  if (references.founder && hasTools(partsRow.capabilities ?? []))
    refuseAgents(
      references.founder,
      "An agent may not connect a tool server, whose tools would be allowed. A person or a service has to do it.",
    );
  if (references.strictAuthModel) requireMatch(partsRow.auth_model, references.authMode);
  return foundCredentials(references, partsRow);
}

/** Finds the credentials that a connection's references name. Throws REFERENCE_NOT_FOUND. */
export async function resolveCredentials(
  { execute, tenant }: Transaction,
  references: CredentialReferences,
  strict: boolean,
): Promise<FoundCredentials> {
  const [partsRow] = await execute<CredentialPartsRow>(credentialParts, [tenant.uuid, ...namesOf(references)]);
  const none = { credential_id: null, webhook_credential_id: null, webhook_kind: null };
  return foundCredentials({ ...references, strictReferences: strict }, partsRow ?? none);
}

const namesOf = ({ credentialRef, webhookSecretRef }: CredentialReferences) =>
  [credentialRef, webhookSecretRef].map((reference) => (reference === null ? null : credentialName(reference)));

function foundCredentials(
  { credentialRef, webhookSecretRef, strictReferences }: CredentialReferences & { strictReferences: boolean },
  partsRow: CredentialPartsRow,
): FoundCredentials {
  const unknown = [
    ...(credentialRef !== null && partsRow.credential_id === null ? ["credentialRef"] : []),
    ...(webhookSecretRef !== null && partsRow.webhook_credential_id === null ? ["configuration/webhookSecretRef"] : []),
  ];
  if (strictReferences && unknown.length > 0)
    throw refusedReferences(unknown.map((name) => missing(name, "Must name a credential of the tenant.")));
  if (partsRow.webhook_kind !== null && !verifyingKinds.includes(partsRow.webhook_kind))
    throw refusedReferences([
      missing("configuration/webhookSecretRef", `Must name a credential of the kind ${verifyingKinds.join(" or ")}.`),
    ]);
  const idOf = (uuid: string | null) => (uuid === null ? null : encodeId("crd", uuid));
  return { credentialId: idOf(partsRow.credential_id), webhookCredentialId: idOf(partsRow.webhook_credential_id) };
}

/** The mismatch in a sentence; undefined for a mode that fits. A mismatch is allowed, and is a warning. */
export function authModeMismatch(authModel: AuthModel, authMode: string): string | undefined {
  if (matches(authModel, authMode)) return undefined;
  return `The provider has the authModel ${authModel}, which the authMode ${authMode} does not match.`;
}

function matches(authModel: AuthModel, authMode: string): boolean {
  if (authModel === "OAuth2") return authMode.startsWith("OAuth2");
  return authModel === "Custom" || authModel === authMode;
}

function requireMatch(authModel: AuthModel, authMode: AuthMode): void {
  const detail = authModeMismatch(authModel, authMode);
  if (detail === undefined) return;
  throw new DomainError("AUTH_MODE_NOT_SUPPORTED", {
    detail: `${detail} Choose another authMode, or leave strictAuthModel out.`,
    errors: [{ pointer: "/input/authMode", code: "AUTH_MODE_NOT_SUPPORTED", detail }],
  });
}

/** The provider states in which its vendor is called. */
export const callableStates: readonly string[] = ["Registered", "Deprecated"];

function requireCallable(status: string): void {
  if (!callableStates.includes(status))
    throw new DomainError("INVALID_STATE", {
      detail: `The provider is ${status}. A connection needs a provider that is ${callableStates.join(" or ")}.`,
      currentState: status,
      allowed: callableStates,
    });
}

const providerOnly: Pick<WantedReferences, "credentialRef" | "webhookSecretRef" | "strictReferences"> = {
  credentialRef: null,
  webhookSecretRef: null,
  strictReferences: false,
};

/** Holds the provider until the transaction ends. Throws INVALID_STATE when it cannot be called. */
export async function requireCallableProvider(transaction: Transaction, providerId: string): Promise<void> {
  await resolveReferences(transaction, { ...providerOnly, providerId, authMode: "None", strictAuthModel: false });
}

const missing = (name: string, detail: string): FieldError => ({
  pointer: `/input/${name}`,
  code: "REFERENCE_NOT_FOUND",
  detail,
});

function refusedReferences(errors: FieldError[]): DomainError {
  return new DomainError("REFERENCE_NOT_FOUND", {
    detail: "A reference of the connection does not name anything in this tenant. See errors.",
    errors,
  });
}
