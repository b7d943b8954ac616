import { defaultPauses } from "@factory/runtime/bus/failure";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { AuditRecord } from "@factory/runtime/messages/audit-record";
import { type Json, principal, RunningSpine, until } from "../running-spine.fixture.js";
import { AuditUpkeep } from "./audit-upkeep.js";

/** A record as a subgraph publishes it. */
export const aRecord = (tenantId: string, changes: Partial<AuditRecord> = {}): AuditRecord => ({
  messagekind: "audit",
  id: newId("aud"),
  type: "AuditRecord",
  time: new Date().toISOString(),
  tenantid: tenantId,
  source: "/catalog",
  operation: "registerTemplate",
  outcome: "Succeeded",
  principal: "usr_somebody",
  principaltype: "User",
  address: "192.0.2.1",
  useragent: "test/1",
  traceid: "ab".repeat(16),
  partitionkey: tenantId,
  ...changes,
});

const verification = `query ($after: String, $seal: String) { verifyAuditLog(after: $after, seal: $seal) {
  status firstBroken { position reason detail } checkedThrough headPosition startPosition checkedSeals
  newestSeal { position hash sealedAt jws } keys nextCursor } }`;

/** A spine whose calendar a test moves, and its audit log. */
export class RunningAuditLog {
  ahead = 0;

  private constructor(readonly platform: RunningSpine) {}

  static async start(): Promise<RunningAuditLog> {
    const log: { current?: RunningAuditLog } = {};
    const clock = () => new Date(Date.now() + (log.current?.ahead ?? 0));
    log.current = new RunningAuditLog(await RunningSpine.start({ clock }, { ...defaultPauses, gathering: 20 }));
    return log.current;
  }

  /** Publishes records and waits until the tenant has that many. */
  async chain(tenantId: string, records: readonly AuditRecord[]): Promise<void> {
    const before = await this.count(tenantId);
    await this.platform.host.bus.publish(records);
    await until(async () => (await this.count(tenantId)) >= before + records.length);
  }

  async count(tenantId: string): Promise<number> {
    const [row] = await this.rows("select count(*)::int as count from audit_records where tenant_id = $1", tenantId);
    return row?.["count"] as number;
  }

  /** Runs SQL as superuser. `$1` is the tenant's UUID. */
  async rows(sql: string, tenantId: string, ...values: unknown[]): Promise<Record<string, Json>[]> {
    return (await this.platform.admin.query(sql, [decodeId("ten", tenantId), ...values])).rows;
  }

  /** Seals, erases and deletes what is due. */
  upkeep(): Promise<void> {
    return this.platform.spine.get(AuditUpkeep).run();
  }

  /** Lets the days pass, and does each day's work. */
  async passDays(days: number): Promise<void> {
    this.ahead += days * 24 * 60 * 60_000;
    await this.upkeep();
  }

  async verify(tenantId: string, variables: Record<string, unknown> = {}): Promise<Json> {
    const { data, refusal } = await this.platform.ask(principal(tenantId, ["audit.read"]), verification, variables);
    return data?.["verifyAuditLog"] ?? refusal;
  }

  async list(tenantId: string, filter: Record<string, unknown> = {}, first = 200): Promise<Record<string, Json>[]> {
    const { data, errors } = await this.platform.ask(
      principal(tenantId, ["audit.read"]),
      `query ($filter: AuditRecordFilterInput, $first: Int) { auditRecords(filter: $filter, first: $first) { items {
        recordId tenantId position time source operation outcome subject principal principalType clientId agent agentTaskId
        approvalId traceId code status count firstTime address email userAgent personalDigest hash } } }`,
      { filter, first },
    );
    if (!data) throw new Error(JSON.stringify(errors));
    return data["auditRecords"].items;
  }
}
