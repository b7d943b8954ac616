import type { RowOf } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, idFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { payloadOwner } from "./delivery-records.js";
import type { WebhookDelivery } from "./webhook-delivery.entity.js";
import type { WebhookDeliveryFilterInput } from "./webhook-delivery.input.js";
import { failedStates, hasFailed, webhookDeliveryStates } from "./webhook-delivery.states.js";
import type { WebhookDeliveryType } from "./webhook-delivery.type.js";
import { type DeliveryRow, deliveryColumns, deliveryView, readDeliveryRow } from "./webhook-delivery.view.js";

const deliveryById = keyStatement(
  "webhook_delivery_by_id",
  `select ${deliveryColumns} from webhook_deliveries where tenant_id = scope.tenant and delivery_id = $2`,
);

type PayloadRow = RowOf<WebhookDelivery, "keyId" | "wrappedKey" | "ciphertext">;

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
    filters: {
      status: enumFilter(webhookDeliveryStates, "status"),
      providerId: idFilter("prv", "provider_id"),
      subscriptionId: idFilter("whs", "subscription_id"),
      connectionId: idFilter("con", "connection_id"),
      normalizedEventType: textFilter("normalized_event_type"),
      providerDeliveryId: textFilter("provider_delivery_id"),
    },
    boundTo: (parameters) => ({ filter: Object.values(parameters) }),
    statement: (name, { filters, after, order, limit }) =>
      tenantStatement(
        name,
        `select ${deliveryColumns} from webhook_deliveries where tenant_id = scope.tenant ${where}
           ${filters} ${after}
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

/** Reads a tenant's recorded deliveries. */
export class WebhookDeliveryService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async find(context: RequestContext, deliveryId: string): Promise<WebhookDeliveryType | undefined> {
    const uuid = decodeId("whd", deliveryId);
    if (uuid === undefined) return undefined;
    const row = await this.#parts.database.reader.row<DeliveryRow>(deliveryById, tenantOf(context), uuid);
    return row && deliveryView(readDeliveryRow(row));
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
    const row = await this.#parts.database.reader.row<PayloadRow>(payloadById, tenant, uuid);
    if (!row?.key_id || !row.wrapped_key || !row.ciphertext) return null;
    const sealedPayload = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
    return parseForeignJson(this.#parts.seal.open(sealedPayload, payloadOwner(tenant.tenantId, deliveryId)).toString());
  }

  list(
    context: RequestContext,
    request: PageRequest<WebhookDeliveryFilterInput>,
  ): Promise<Connection<WebhookDeliveryType>> {
    const { database, cursors } = this.#parts;
    const list = failedStates.includes(request.filter?.status ?? "") ? failedDeliveries : sortedDeliveries;
    return readPage(
      list,
      { reader: database.reader, cursors, tenant: tenantOf(context) },
      request,
      (row: DeliveryRow): ListedDelivery =>
        Object.assign(deliveryView(readDeliveryRow(row)), { receivedAtText: row.received_at_text }),
    );
  }
}
