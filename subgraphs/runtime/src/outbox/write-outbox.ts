import { decodeId } from "../identifiers/wire-id.js";
import type { Tenant } from "../tenancy/tenant.js";
import type { Message } from "./envelope.js";

type Execute = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** One statement for all messages of a transaction; `seq` follows the order in which they were recorded. */
export async function writeOutbox(execute: Execute, tenant: Tenant, messages: readonly Message[]): Promise<void> {
  await execute(
    `insert into outbox (id, tenant_id, type, envelope)
     select id, $1, envelope->>'type', envelope
     from unnest($2::uuid[], $3::jsonb[]) with ordinality as message(id, envelope, place) order by place`,
    [
      tenant.uuid,
      messages.map(({ messagekind, id }) => decodeId(messagekind === "event" ? "evt" : "cmd", id)),
      messages.map((envelope) => JSON.stringify(envelope)),
    ],
  );
}
