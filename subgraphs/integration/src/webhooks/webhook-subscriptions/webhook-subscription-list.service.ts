import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, idFilter, invalidValues, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { WebhookSubscriptionFilterInput } from "./webhook-subscription.input.js";
import { webhookDirections, webhookSubscriptionStates } from "./webhook-subscription.states.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";
import {
  readSubscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionView,
} from "./webhook-subscription.view.js";

const listedStates = Object.keys(webhookSubscriptionStates).filter((state) => state !== "Deleted");

/**
 * They are parameters of the list, because the cursors of earlier releases are bound to the list of their values, in this
 * order.
 */
const filters = {
  direction: enumFilter(webhookDirections, "direction"),
  status: enumFilter(listedStates, "status"),
  eventType: textFilter("event_type"),
  projectId: textFilter("project_id"),
  providerId: idFilter("prv", "provider_id"),
};

/** The list of a tenant's webhook subscriptions. Deleted ones are not listed. */
export const sortedSubscriptions = new SortedList<WebhookSubscriptionType, TenantStatement>({
  list: "webhook_subscriptions",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "subscription_id", type: "uuid", of: ({ subscriptionId }) => decodeId("whs", subscriptionId) ?? "" },
  byDefault: "-createdAt",
  parameters: Object.keys(filters),
  statement: (name, { place, after, order, limit }) => {
    const filtered = Object.entries(filters).map(([member, { condition }]) => `and ${condition(place(member))}`);
    return tenantStatement(
      name,
      `select ${subscriptionColumns} from webhook_subscriptions where tenant_id = scope.tenant and status <> 'Deleted'
         ${filtered.join(" ")} ${after}
       order by ${order} limit ${limit}`,
    );
  },
});

/** Lists the webhook subscriptions of a tenant in pages. */
export class WebhookSubscriptionListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(
    context: RequestContext,
    request: PageRequest<WebhookSubscriptionFilterInput>,
  ): Promise<Connection<WebhookSubscriptionType>> {
    const tenant = tenantOf(context);
    const { direction = null, status = null, eventType = null, projectId = null, providerId } = request.filter ?? {};
    const invalid = invalidValues(filters, { direction, status });
    if (invalid.length > 0) throw invalidEnumValue(invalid);
    const provider = providerId == null ? null : (decodeId("prv", providerId) ?? nilUuid);
    const parameters = { direction, status, eventType, projectId, providerId: provider };
    const scope = { tenantId: tenant.tenantId, filter: Object.values(parameters) };
    const page = sortedSubscriptions.page(this.#cursors, scope, request, parameters);
    const rows = await this.#database.reader.rows<SubscriptionRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map((row) => subscriptionView(readSubscription(row))));
  }
}
