import { atMost } from "@factory/runtime/caches/entry-limit";
import { isDatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { LRUCache } from "lru-cache";
import type { CredentialService } from "../../credentials/credentials/credential.service.js";
import type { WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { StoredSubscriptionRow } from "../webhook-subscriptions/webhook-subscription.view.js";
import { targetOfSubscription } from "./delivery-target-statement.js";
import { heldPace, type Pace, paceWithin } from "./lane-paces.js";

/** The endpoint for a lane's messages, and the secrets that sign them. */
export interface DeliveryTarget {
  readonly tenant: Tenant;
  readonly endpointUrl: string;
  readonly contentType: string;
  /** The subscription's headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a subscription without a limit. */
  readonly pace: Pace | undefined;
  /** True while the receiver has not agreed to webhooks. */
  readonly held: boolean;
  /** The secrets, newest first. Empty when they cannot be read. */
  readonly secrets: readonly string[];
  /** True when the subscription's earlier attempts failed and none has succeeded since. */
  readonly failing: boolean;
  /** True when the tenant was told that they fail. */
  readonly warned: boolean;
}

/** An outbound subscription has an endpoint and a credential. */
interface TargetRow
  extends Pick<
    StoredSubscriptionRow,
    "status" | "content_type" | "rate_per_second" | "headers" | "allowed_per_minute"
  > {
  endpoint_url: string;
  credential_id: string;
  failing: boolean;
  warned: boolean;
  held: boolean;
}

const rememberedSubscriptions = 10_000;

export class DeliveryTargets {
  readonly #database: Database;
  readonly #credentials: CredentialService;
  /**
   * The credential ids for recently used subscriptions. With the id, the secrets are read at the same time as the
   * target.
   */
  readonly #credentialIds = new LRUCache<string, string>(atMost(rememberedSubscriptions));

  constructor(database: Database, credentials: CredentialService) {
    this.#database = database;
    this.#credentials = credentials;
  }

  /** Undefined when the subscription is not Active. */
  async of(lane: WebhookLane): Promise<DeliveryTarget | undefined> {
    const tenant = tenantWithId(encodeId("ten", lane.tenant));
    const expectedId = this.#credentialIds.get(lane.subscription);
    const [row, secrets] = await Promise.all([
      this.#database.reader.row<TargetRow>(targetOfSubscription, tenant, lane.subscription),
      expectedId === undefined ? [] : this.#secrets(tenant, expectedId),
    ]);
    if (row?.status !== "Active") return undefined;
    const { credential_id: credentialId } = row;
    if (credentialId !== expectedId) this.#credentialIds.set(lane.subscription, credentialId);
    return {
      tenant,
      endpointUrl: row.endpoint_url,
      contentType: row.content_type,
      headers: row.headers ?? {},
      pace: row.held ? heldPace : paceWithin(row.rate_per_second, row.allowed_per_minute),
      held: row.held,
      failing: row.failing,
      warned: row.warned,
      secrets: credentialId === expectedId ? secrets : await this.#secrets(tenant, credentialId),
    };
  }

  async #secrets(tenant: Tenant, credentialId: string): Promise<string[]> {
    try {
      return await this.#credentials.signingSecrets(tenant, encodeId("crd", credentialId));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // The secret is revoked, damaged or sealed with another key. The attempt's result says that it cannot be read.
      return [];
    }
  }
}
