import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { platformScopes } from "@factory/schema/scopes";
import { type ClientSecrets, secretDigest, secretMatches } from "./client-secret.js";
import { OAuthClient } from "./oauth-client.entity.js";
import { oauthClientFacts } from "./oauth-client.view.js";

/** Chosen by the operator (PLATFORM_CLIENT_ID, PLATFORM_CLIENT_SECRET) in place of a generated one. */
export interface GivenClient {
  readonly id: string;
  readonly secret: string;
}

export interface PlatformClient {
  readonly clientId: string;
  /** Of a generated client, the same at every start; absent for a given one, and after its master key was removed. */
  readonly clientSecret?: string;
}

/**
 * Makes the platform's administrator client, or changes it to what the operator and this release want. Only one such
 * client is Active. The transaction is one of the platform's tenant.
 */
export async function ensurePlatformClient(
  transaction: Transaction,
  secrets: ClientSecrets,
  given: GivenClient | undefined,
): Promise<PlatformClient> {
  const clients = await transaction.em.find(OAuthClient, { tenantId: platformTenantId, platformAdmin: true });
  const current = given ? takeGiven(transaction, clients, given) : takeGenerated(transaction, clients, secrets);
  for (const client of clients) client.status = client === current ? "Active" : "Disabled";
  bringScopesUpToDate(transaction, current);
  const clientSecret = shownAgain(current, secrets);
  return { clientId: current.clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

/** Not once the master key is gone that it was derived from: then the secret only works. */
function shownAgain({ clientId, secretNonce, secretDigest: digest }: OAuthClient, secrets: ClientSecrets) {
  if (secretNonce === null || !secrets.canDerive(secretNonce)) return undefined;
  const secret = secrets.derive(clientId, secretNonce);
  return secretMatches(secret, digest) ? secret : undefined;
}

function takeGiven(
  transaction: Transaction,
  clients: readonly OAuthClient[],
  { id, secret }: GivenClient,
): OAuthClient {
  const known = clients.find(({ clientId }) => clientId === id);
  const digest = secretDigest(secret);
  if (!known) return createClient(transaction, { clientId: id, secretNonce: null, secretDigest: digest });
  if (known.secretDigest !== digest) Object.assign(known, { secretNonce: null, secretDigest: digest });
  return known;
}

function takeGenerated(transaction: Transaction, clients: readonly OAuthClient[], secrets: ClientSecrets): OAuthClient {
  const known = clients.find(({ secretNonce }) => secretNonce !== null);
  if (known) return known;
  const clientId = newId("cli");
  const secretNonce = secrets.newNonce();
  return createClient(transaction, {
    clientId,
    secretNonce,
    secretDigest: secretDigest(secrets.derive(clientId, secretNonce)),
  });
}

/** A release may give the administrator more to do. */
function bringScopesUpToDate({ record }: Transaction, client: OAuthClient): void {
  if (client.scopes.join(" ") === platformScopes.join(" ")) return;
  client.scopes = [...platformScopes];
  record({ type: "ApiClientUpdated", subject: `clients/${client.clientId}`, data: oauthClientFacts(client) });
}

function createClient(
  { em, record }: Transaction,
  identity: Pick<OAuthClient, "clientId" | "secretNonce" | "secretDigest">,
): OAuthClient {
  const client = em.create(OAuthClient, {
    ...identity,
    tenantId: platformTenantId,
    name: "Platform administrator",
    scopes: [...platformScopes],
    grantTypes: ["client_credentials"],
    redirectUris: [],
    firstParty: false,
    isPublic: false,
    principalType: "Service",
    platformAdmin: true,
    status: "Active",
    createdAt: new Date(),
  });
  em.persist(client);
  record({ type: "ApiClientCreated", subject: `clients/${client.clientId}`, data: oauthClientFacts(client) });
  return client;
}
