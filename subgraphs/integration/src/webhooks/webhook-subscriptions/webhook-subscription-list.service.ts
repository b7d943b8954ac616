import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, idFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { WebhookSubscriptionFilterInput } from "./webhook-subscription.input.js";
import { webhookSubscriptionStates } from "./webhook-subscription.states.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";
import {
  readSubscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionView,
} from "./webhook-subscription.view.js";

const listedStates = Object.keys(webhookSubscriptionStates).filter((state) => state !== "Deleted");

/** A tenant's webhook subscriptions as a list. Deleted ones are not listed. */
export const sortedSubscriptions = new SortedList<WebhookSubscriptionType, TenantStatement>({
  list: "webhook_subscriptions",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "subscription_id", type: "uuid", of: ({ subscriptionId }) => decodeId("whs", subscriptionId) ?? "" },
  byDefault: "-createdAt",
  filters: {
    direction: textFilter("direction"),
    status: enumFilter(listedStates, "status"),
    eventType: textFilter("event_type"),
    projectId: textFilter("project_id"),
    providerId: idFilter("prv", "provider_id"),
  },
  boundTo: (parameters) => ({ filter: Object.values(parameters) }),
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${subscriptionColumns} from webhook_subscriptions where tenant_id = scope.tenant and status <> 'Deleted'
         ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists a tenant's webhook subscriptions in pages. */
export class WebhookSubscriptionListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  list(
    context: RequestContext,
    request: PageRequest<WebhookSubscriptionFilterInput>,
  ): Promise<Connection<WebhookSubscriptionType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedSubscriptions, list, request, (row: SubscriptionRow) =>
      subscriptionView(readSubscription(row)),
    );
  }
}
