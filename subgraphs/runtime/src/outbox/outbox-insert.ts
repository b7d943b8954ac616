import type { PreparedStatement } from "../db/transaction-dialect.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { Message } from "../messages/envelope.js";
import type { Tenant } from "../tenancy/tenant.js";

/** Inserts a transaction's messages. `seq` follows the order in which they were recorded. */
export const outboxInsert: PreparedStatement = {
  name: "outbox_insert",
  text: `insert into outbox (id, tenant_id, type, envelope)
    select id, $1, type, envelope
    from unnest($2::uuid[], $3::text[], $4::json[]) with ordinality as message(id, type, envelope, place) order by place`,
};

const prefixes = { event: "evt", command: "cmd", audit: "aud" } as const;

/** Parameters for `outboxInsert`. */
export function outboxValues(tenant: Tenant, messages: readonly Message[]): unknown[] {
  const ids = messages.map(({ messagekind, id }) => decodeId(prefixes[messagekind], id));
  return [tenant.uuid, ids, messages.map(({ type }) => type), messages.map((envelope) => JSON.stringify(envelope))];
}
