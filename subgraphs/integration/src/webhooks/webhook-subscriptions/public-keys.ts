import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CredentialService } from "../../credentials/credentials/credential.service.js";
import { publicKeyOf } from "../../ground/standard-webhooks/ed25519-key.js";
import type { WebhookPublicKeysType } from "./public-key.type.js";
import type { WebhookSubscriptionService } from "./webhook-subscription.service.js";

const credentialOfSubscription = tenantStatement(
  "webhook_subscription_credential",
  `select credential_id from webhook_subscriptions
   where tenant_id = scope.tenant and subscription_id = $2 and status <> 'Deleted'`,
);

/** The public keys for subscriptions whose webhooks are signed with ed25519. */
export class PublicKeys {
  readonly #database: Database;
  readonly #credentials: CredentialService;
  readonly #subscriptions: WebhookSubscriptionService;

  constructor(database: Database, credentials: CredentialService, subscriptions: WebhookSubscriptionService) {
    this.#database = database;
    this.#credentials = credentials;
    this.#subscriptions = subscriptions;
  }

  /** Throws WEBHOOK_SUBSCRIPTION_NOT_FOUND. */
  async of(context: RequestContext, subscriptionId: string): Promise<WebhookPublicKeysType> {
    const tenant = tenantOf(context);
    await this.#subscriptions.get(context, subscriptionId);
    const uuid = decodeId("whs", subscriptionId);
    const row = await this.#database.reader.row<{ credential_id: string | null }>(
      credentialOfSubscription,
      tenant,
      uuid,
    );
    const credential = row?.credential_id ?? null;
    const secrets =
      credential === null ? [] : await this.#credentials.signingSecrets(tenant, encodeId("crd", credential));
    const keys = secrets.flatMap((secret) => publicKeyOf(secret) ?? []);
    return { subscriptionId, keys: keys.map((publicKey) => ({ algorithm: "ed25519", publicKey })) };
  }
}
