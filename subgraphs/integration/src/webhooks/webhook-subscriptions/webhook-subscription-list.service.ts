import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { WebhookSubscriptionFilterInput } from "./webhook-subscription.input.js";
import { webhookDirections, webhookSubscriptionStates } from "./webhook-subscription.states.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";
import { type SubscriptionRow, subscriptionColumns, subscriptionView } from "./webhook-subscription.view.js";

/** The list of a tenant's webhook subscriptions. Deleted ones are not listed. */
export const sortedSubscriptions = new SortedList<WebhookSubscriptionType, TenantStatement>({
  list: "webhook_subscriptions",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "subscription_id", type: "uuid", of: ({ subscriptionId }) => decodeId("whs", subscriptionId) ?? "" },
  byDefault: "-createdAt",
  firstParameter: 7,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select ${subscriptionColumns} from webhook_subscriptions where tenant_id = scope.tenant and status <> 'Deleted'
         and ($2::text is null or direction = $2) and ($3::text is null or status = $3)
         and ($4::text is null or event_type = $4) and ($5::text is null or project_id = $5)
         and ($6::uuid is null or provider_id = $6) ${after}
       order by ${order} limit ${limit}`,
    ),
});

const listedStates = Object.keys(webhookSubscriptionStates).filter((state) => state !== "Deleted");
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
    const { direction = null, status = null, eventType = null, projectId = null } = request.filter ?? {};
    const problems: InvalidEnumValue[] = [];
    if (direction !== null && !webhookDirections.some((known) => known === direction))
      problems.push({ pointer: "/filter/direction", allowed: webhookDirections });
    if (status !== null && !listedStates.includes(status))
      problems.push({ pointer: "/filter/status", allowed: listedStates });
    if (problems.length > 0) throw invalidEnumValue(problems);
    const given = request.filter?.providerId;
    const provider = given == null ? null : (decodeId("prv", given) ?? nilUuid);
    const filter = [direction, status, eventType, projectId, provider];
    const page = sortedSubscriptions.page(this.#cursors, { tenantId: tenant.tenantId, filter }, request);
    const { reader } = this.#database;
    const rows = await reader.rows<SubscriptionRow>(page.statement, tenant, ...filter, ...page.values);
    return page.connection(rows.map(subscriptionView));
  }
}
