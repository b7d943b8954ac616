import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { payloadOwner } from "./delivery-records.js";
import type { WebhookDeliveryFilterInput } from "./webhook-delivery.input.js";
import { failedStates, hasFailed, webhookDeliveryStates } from "./webhook-delivery.states.js";
import type { WebhookDeliveryType } from "./webhook-delivery.type.js";
import { type DeliveryRow, deliveryColumns, deliveryView } from "./webhook-delivery.view.js";

const deliveryById = tenantStatement(
  "webhook_delivery_by_id",
  `select ${deliveryColumns} from webhook_deliveries where tenant_id = scope.tenant and delivery_id = $2`,
);

const payloadById = tenantStatement(
  "webhook_delivery_payload",
  `select key_id, wrapped_key, ciphertext from webhook_deliveries
   where tenant_id = scope.tenant and delivery_id = $2 and ciphertext is not null`,
);

interface ListedDelivery extends WebhookDeliveryType {
  readonly receivedAtText: string;
}

/** Deliveries that are newest first by default. `where` is a condition whose index the list uses. */
const deliveryList = (list: string, where: string) =>
  new SortedList<ListedDelivery, TenantStatement>({
    list,
    columns: {
      receivedAt: { column: "received_at", type: "timestamptz", of: ({ receivedAtText }) => receivedAtText },
    },
    id: { column: "delivery_id", type: "uuid", of: ({ deliveryId }) => decodeId("whd", deliveryId) ?? "" },
    byDefault: "-receivedAt",
    firstParameter: 8,
    statement: (name, { after, order, limit }) =>
      tenantStatement(
        name,
        `select ${deliveryColumns} from webhook_deliveries where tenant_id = scope.tenant ${where}
         and ($2::text is null or status = $2) and ($3::uuid is null or provider_id = $3)
         and ($4::uuid is null or subscription_id = $4) and ($5::uuid is null or connection_id = $5)
         and ($6::text is null or normalized_event_type = $6) and ($7::text is null or provider_delivery_id = $7) ${after}
       order by ${order} limit ${limit}`,
      ),
  });

export const sortedDeliveries = deliveryList("webhook_deliveries", "");
const failedDeliveries = deliveryList("webhook_deliveries_failed", `and ${hasFailed}`);

interface Parts {
  readonly database: Database;
  readonly cursors: CursorSeal;
  readonly seal: EnvelopeSeal;
}

/** Reads the recorded deliveries of a tenant. */
export class WebhookDeliveryService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async find(context: RequestContext, deliveryId: string): Promise<WebhookDeliveryType | undefined> {
    const uuid = decodeId("whd", deliveryId);
    if (uuid === undefined) return undefined;
    const row = await this.#parts.database.reader.row<DeliveryRow>(deliveryById, tenantOf(context), uuid);
    return row && deliveryView(row);
  }

  async get(context: RequestContext, deliveryId: string): Promise<WebhookDeliveryType> {
    const delivery = await this.find(context, deliveryId);
    if (!delivery)
      throw new DomainError("DELIVERY_NOT_FOUND", { detail: "The delivery does not exist in this tenant." });
    return delivery;
  }

  /** The payload; null after its retention. */
  async payload(context: RequestContext, deliveryId: string): Promise<unknown> {
    const tenant = tenantOf(context);
    const uuid = decodeId("whd", deliveryId);
    const row = await this.#parts.database.reader.row<{ key_id: string; wrapped_key: Buffer; ciphertext: Buffer }>(
      payloadById,
      tenant,
      uuid,
    );
    if (!row) return null;
    const sealed = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
    return parseForeignJson(this.#parts.seal.open(sealed, payloadOwner(tenant.tenantId, deliveryId)).toString());
  }

  async list(
    context: RequestContext,
    request: PageRequest<WebhookDeliveryFilterInput>,
  ): Promise<Connection<WebhookDeliveryType>> {
    const tenant = tenantOf(context);
    const { status = null, normalizedEventType = null, providerDeliveryId = null } = request.filter ?? {};
    if (status !== null && !states.includes(status))
      throw invalidEnumValue([{ pointer: "/filter/status", allowed: states }]);
    const ids = [
      uuidOf("prv", request.filter?.providerId),
      uuidOf("whs", request.filter?.subscriptionId),
      uuidOf("con", request.filter?.connectionId),
    ];
    const filter = [status, ...ids, normalizedEventType, providerDeliveryId];
    const list = failedStates.includes(status ?? "") ? failedDeliveries : sortedDeliveries;
    const page = list.page(this.#parts.cursors, { tenantId: tenant.tenantId, filter }, request);
    const rows = await this.#parts.database.reader.rows<DeliveryRow>(page.statement, tenant, ...filter, ...page.values);
    return page.connection(
      rows.map((row) => Object.assign(deliveryView(row), { receivedAtText: row.received_at_text })),
    );
  }
}

const states = Object.keys(webhookDeliveryStates);

/** An ID that is malformed matches no row. */
const uuidOf = (prefix: "prv" | "whs" | "con", id: string | null | undefined): string | null =>
  id == null ? null : (decodeId(prefix, id) ?? nilUuid);
