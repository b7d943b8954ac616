import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { platformScopes } from "@factory/schema/scopes";
import { type ClientSecrets, secretDigest, secretMatches } from "./client-secret.js";
import { OAuthClient } from "./oauth-client.entity.js";
import { oauthClientFacts } from "./oauth-client.view.js";

/** The administrator client that the operator chose (PLATFORM_CLIENT_ID, PLATFORM_CLIENT_SECRET). */
export interface GivenClient {
  readonly id: string;
  readonly secret: string;
}

/** The platform's administrator client. */
export interface PlatformClient {
  readonly clientId: string;
  /**
   * A generated client's secret, the same at every start. Absent if the operator chose it, or if its master key is
   * gone.
   */
  readonly clientSecret?: string;
}

/**
 * Makes the platform's administrator client, or changes it to what the operator and this release want. Only one such
 * client is Active. The transaction is in the platform's tenant.
 */
export async function ensurePlatformClient(
  transaction: Transaction,
  secrets: ClientSecrets,
  givenClient: GivenClient | undefined,
): Promise<PlatformClient> {
  const clients = await transaction.em.find(OAuthClient, { tenantId: platformTenantId, platformAdmin: true });
  const current = givenClient
    ? updateGiven(transaction, clients, givenClient)
    : findOrGenerate(transaction, clients, secrets);
  for (const client of clients) client.status = client === current ? "Active" : "Disabled";
  bringScopesUpToDate(transaction, current);
  const clientSecret = derivedSecret(current, secrets);
  return { clientId: current.clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

/** The secret; undefined if it cannot be derived any longer. It stays valid then. */
function derivedSecret({ clientId, secretNonce, secretDigest: digest }: OAuthClient, secrets: ClientSecrets) {
  if (secretNonce === null || !secrets.canDerive(secretNonce)) return undefined;
  const secret = secrets.derive(clientId, secretNonce);
  return secretMatches(secret, digest) ? secret : undefined;
}

function updateGiven(
  transaction: Transaction,
  clients: readonly OAuthClient[],
  { id, secret }: GivenClient,
): OAuthClient {
  const platformClient = clients.find(({ clientId }) => clientId === id);
  const digest = secretDigest(secret);
  if (!platformClient) return createClient(transaction, { clientId: id, secretNonce: null, secretDigest: digest });
  if (platformClient.secretDigest !== digest)
    Object.assign(platformClient, { secretNonce: null, secretDigest: digest });
  return platformClient;
}

function findOrGenerate(
  transaction: Transaction,
  clients: readonly OAuthClient[],
  secrets: ClientSecrets,
): OAuthClient {
  const generatedClient = clients.find(({ secretNonce }) => secretNonce !== null);
  if (generatedClient) return generatedClient;
  const clientId = newId("cli");
  const secretNonce = secrets.newNonce();
  return createClient(transaction, {
    clientId,
    secretNonce,
    secretDigest: secretDigest(secrets.derive(clientId, secretNonce)),
  });
}

/** A new release may have more platform scopes. */
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
    identityScopes: [],
    grantTypes: ["client_credentials"],
    redirectUris: [],
    firstParty: false,
    createdByPlatform: false,
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
