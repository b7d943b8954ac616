import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { StepFeed, type StepSource } from "@factory/runtime/step-feeds/step-feed";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { unreadCondition } from "../record/notification.states.js";
import { inboxOwner } from "../record/notification-access.js";
import type { UnreadCountType } from "./unread-count.type.js";

/** A count that differs from the one before it. */
export interface UnreadCountStep extends UnreadCountType {
  readonly sequence: number;
}

interface UnreadServices {
  readonly database: Database;
  readonly watch: StepWatch;
  readonly logger: Logger;
}

const maxCounted = 1000;
const subscribersOfTenant = 1000;
const subscribersInAll = 10_000;
/** The interval between reads without a notice. An inbox subscriber waits for hours, so it is longer than for a run. */
const pollIntervalMs = 30_000;
/** A broadcast changes all inboxes in a tenant. Their subscribers read within this time and not all at once. */
const spreadMs = 2000;

const unreadCount = tenantStatement(
  "notification_unread_count",
  `select count(*)::int as unread from (
     select from notifications where tenant_id = scope.tenant and recipient_user_id = $2 and ${unreadCondition}
     limit ${maxCounted}) counted`,
);

/** Counts a user's unread in-app notifications, now and after each change. */
export class UnreadCountService {
  readonly #services: UnreadServices;
  readonly #subscribers = new ConcurrencyLimiter(
    { maxPerTenant: subscribersOfTenant, maxTotal: subscribersInAll },
    "subscriptions of an unread count",
  );

  constructor(services: UnreadServices) {
    this.#services = services;
  }

  /** The first item is the count now. Throws RATE_LIMITED when the tenant has too many subscribers. */
  async watch(context: RequestContext, requestedUserId: string | null | undefined): Promise<StepFeed<UnreadCountStep>> {
    const principal = principalOf(context);
    const recipientUserId = inboxOwner(principal, requestedUserId);
    const tenant = tenantOf(context);
    const release = this.#subscribers.acquire(tenant.tenantId);
    if (!release)
      throw new DomainError("RATE_LIMITED", {
        detail: `At most ${subscribersOfTenant} subscriptions of an unread count of one tenant run at once. Wait until one of them has ended, then try again.`,
      });
    const source = this.#source(tenant, recipientUserId, release);
    return new StepFeed(source, { after: 0, expiresAt: principal.expiresAt });
  }

  #source(tenant: Tenant, recipientUserId: string, release: () => void): StepSource<UnreadCountStep> {
    const { watch, logger } = this.#services;
    const uuid = decodeId("usr", recipientUserId) ?? "";
    let lastCount: number | undefined;
    return {
      pollIntervalMs,
      logger,
      read: async (after) => {
        const unread = await this.#count(tenant, uuid);
        if (unread === lastCount) return { steps: [], hasEnded: false };
        lastCount = unread;
        const step = { sequence: after + 1, recipientUserId, unread, isCapped: unread === maxCounted };
        return { steps: [step], hasEnded: false };
      },
      subscribe: (wake) => {
        const later = () => void setTimeout(wake, Math.random() * spreadMs).unref();
        const ends = [watch.subscribe(uuid, wake), watch.subscribe(tenant.uuid, later), release];
        return () => {
          for (const end of ends.splice(0)) end();
        };
      },
    };
  }

  async #count(tenant: Tenant, uuid: string): Promise<number> {
    // without the caller: the subscription has no request that could be abandoned
    const { tenantId, uuid: tenantUuid } = tenant;
    const row = await this.#services.database.reader.row<{ unread: number }>(
      unreadCount,
      { tenantId, uuid: tenantUuid },
      uuid,
    );
    return row?.unread ?? 0;
  }
}
