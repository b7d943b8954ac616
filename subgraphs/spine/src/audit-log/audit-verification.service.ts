import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ChainHead } from "./audit-head.entity.js";
import type { AuditKeys } from "./audit-keys.js";
import { ChainedRecord } from "./audit-record.entity.js";
import { readAuditRecord } from "./audit-record.view.js";
import { ChainSeal } from "./audit-seal.entity.js";
import type { AuditBreakType, AuditSealType, AuditVerificationType } from "./audit-verification.type.js";
import { ChainCheck } from "./chain-check.js";
import { genesisHash } from "./chain-record.js";
import { openSeal, type SealedHead } from "./sign-seal.js";

const pageSize = 1000;
/** A call checks no more than this, so that it answers soon and leaves the process to others. */
const maxRecords = 20_000;
const maxMs = 2000;

const extentOf = tenantStatement(
  "audit_extent",
  `select head.position, head.hash, head.start_position, head.start_hash,
     (select max(position) from audit_records where tenant_id = scope.tenant) as newest,
     (select min(position) from audit_records where tenant_id = scope.tenant) as oldest
   from (select) nothing left join audit_heads head on head.tenant_id = scope.tenant`,
);
const recordsAfter = tenantStatement(
  "audit_records_after",
  `select ${columnsOf(ChainedRecord)} from audit_records
   where tenant_id = scope.tenant and position > $after and position <= $through
   order by position limit $count`,
);
const sealMembers = ["position", "hash", "sealedAt", "jws"] as const;
const sealColumns = columnsOf(ChainSeal, sealMembers);
const sealsBetween = tenantStatement(
  "audit_seals_between",
  `select ${sealColumns} from audit_seals
   where tenant_id = scope.tenant and position between $2 and $3 order by position`,
);
const newestSealOf = tenantStatement(
  "audit_newest_seal",
  `select ${sealColumns} from audit_seals
   where tenant_id = scope.tenant order by position desc limit 1`,
);
const hashAt = tenantStatement(
  "audit_hash_at",
  "select hash from audit_records where tenant_id = scope.tenant and position = $2",
);

type HeadRow = RowOf<ChainHead, "position" | "hash" | "startPosition" | "startHash">;

type Extent = { [Name in keyof HeadRow]: HeadRow[Name] | null } & { newest: string | null; oldest: string | null };

type SealRow = RowOf<ChainSeal, (typeof sealMembers)[number]>;

const readSeal = rowReader(ChainSeal);

interface Head {
  readonly position: number;
  readonly hash: Buffer;
  readonly start: number;
  readonly startHash: Buffer;
}

type Break = AuditBreakType | undefined;

/**
 * Checks a tenant's chain: every record against the hash before it, the head, and every seal. A rewritten log whose
 * head and seals were rewritten, too, is found with a seal that the caller has kept from an event.
 */
export class AuditVerificationService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #keys: AuditKeys;
  readonly #running = new ConcurrencyLimiter({ maxPerTenant: 1, maxTotal: 4 }, "verifications of audit logs");

  constructor(database: Database, cursors: CursorSeal, keys: AuditKeys) {
    this.#database = database;
    this.#cursors = cursors;
    this.#keys = keys;
  }

  /**
   * Checks part of the log, from its start or after a cursor. Throws `VALIDATION_FAILED` for a seal that nobody has
   * signed.
   */
  verify(context: RequestContext, after: string | null, seal: string | null): Promise<AuditVerificationType> {
    const tenant = tenantOf(context);
    return this.#running.run(tenant.tenantId, async () => {
      const keptSeal = seal === null ? undefined : await this.#keptSeal(tenant, seal);
      const { reader } = this.#database;
      const [extent, newest] = await Promise.all([
        reader.row<Extent & Record<string, unknown>>(extentOf, tenant),
        reader.row<SealRow>(newestSealOf, tenant),
      ]);
      const head = headOf(extent);
      const check = this.#checkFrom(tenant, head, after);
      const run = { tenant, head, check, seals: 0, untilMs: performance.now() + maxMs };
      const outside = outsideBreak(head, extent, Math.max(Number(newest?.position ?? 0), keptSeal?.position ?? 0));
      const firstBroken =
        (await this.#startBreak(run)) ??
        (await this.#records(run)) ??
        (await this.#keptBreak(run, keptSeal)) ??
        outside;
      const isUnfinished = firstBroken === undefined && check.position < head.position;
      return {
        status: firstBroken ? "Broken" : isUnfinished ? "Unfinished" : "Intact",
        firstBroken: firstBroken ?? null,
        checkedThrough: check.position,
        headPosition: head.position,
        startPosition: head.start,
        checkedSeals: run.seals,
        newestSeal: newest ? sealView(newest) : null,
        keys: [...this.#keys.published],
        nextCursor: isUnfinished
          ? this.#cursors.seal(cursorScope(tenant), [check.position, check.hash.toString("hex")])
          : null,
      };
    });
  }

  /** Where the check begins. Retention may have passed the cursor's position. */
  #checkFrom(tenant: Tenant, head: Head, after: string | null): ChainCheck {
    if (after !== null) {
      const [position, hash] = this.#cursors.open(cursorScope(tenant), after) as [number, string];
      if (position >= head.start) return new ChainCheck(position, Buffer.from(hash, "hex"));
    }
    return new ChainCheck(head.start, head.startHash);
  }

  /** A chain that does not start at its first record starts at a seal. */
  async #startBreak(run: Run): Promise<Break> {
    const { head, tenant } = run;
    if (head.start === 0) return undefined;
    const [seal] = await this.#seals(tenant, head.start, head.start);
    if (!seal)
      return { position: head.start, reason: "SealMismatch", detail: "No seal covers the start of the chain." };
    return this.#sealBreak(run, seal, head.startHash);
  }

  async #records(run: Run): Promise<Break> {
    const { check, head, tenant } = run;
    for (let checkedRecords = 0; check.position < head.position; ) {
      if (checkedRecords >= maxRecords || performance.now() > run.untilMs) return undefined;
      const from = check.position;
      const values = recordsAfter.valuesOf({ after: from, through: head.position, count: pageSize });
      const rows = await this.#database.reader.rows<RowOf<ChainedRecord>>(recordsAfter, tenant, ...values);
      if (rows.length === 0)
        return { position: from + 1, reason: "CutOff", detail: `The head of the log is at ${head.position}.` };
      const hashes = new Map<number, Buffer>();
      const rowBreak = checkRows(check, rows, hashes);
      const sealBreak = await this.#pageSeals(run, from + 1, hashes);
      // a record before the broken one may have another hash than its seal
      if (sealBreak ?? rowBreak) return sealBreak ?? rowBreak;
      checkedRecords += rows.length;
    }
    return check.hash.equals(head.hash)
      ? undefined
      : { position: head.position, reason: "Altered", detail: "The head of the log names another hash." };
  }

  async #pageSeals(run: Run, from: number, hashes: ReadonlyMap<number, Buffer>): Promise<Break> {
    if (hashes.size === 0) return undefined;
    for (const seal of await this.#seals(run.tenant, from, run.check.position)) {
      const sealBreak = await this.#sealBreak(run, seal, hashes.get(Number(seal.position)));
      if (sealBreak) return sealBreak;
    }
    return undefined;
  }

  async #sealBreak(run: Run, seal: SealRow, hash: Buffer | undefined): Promise<Break> {
    run.seals += 1;
    const position = Number(seal.position);
    const signedHead = await openSeal(seal.jws, this.#keys);
    if (!signedHead || signedHead.tenantId !== run.tenant.tenantId || signedHead.position !== position)
      return { position, reason: "SealInvalid", detail: "The seal is not one that the platform has signed." };
    return hash?.toString("hex") === signedHead.hash && hash.equals(seal.hash) ? undefined : mismatch(position);
  }

  /** Compares with the seal that the caller has kept. Positions that retention deleted cannot be compared any more. */
  async #keptBreak({ tenant, head }: Run, keptSeal: SealedHead | undefined): Promise<Break> {
    if (!keptSeal || keptSeal.position < head.start || keptSeal.position > head.position) return undefined;
    const row =
      keptSeal.position === head.start
        ? { hash: head.startHash }
        : await this.#database.reader.row<{ hash: Buffer }>(hashAt, tenant, keptSeal.position);
    return row?.hash.toString("hex") === keptSeal.hash ? undefined : mismatch(keptSeal.position);
  }

  async #keptSeal(tenant: Tenant, jws: string): Promise<SealedHead> {
    const seal = await openSeal(jws, this.#keys);
    if (seal?.tenantId === tenant.tenantId) return seal;
    throw new DomainError("VALIDATION_FAILED", {
      detail:
        "The seal is not one that this platform has signed for the tenant. Take `jws` of an event AuditLogSealed.",
      errors: [{ pointer: "/seal", code: "FORMAT", detail: "Must be a seal of this tenant." }],
    });
  }

  #seals(tenant: Tenant, from: number, to: number): Promise<SealRow[]> {
    return this.#database.reader.rows<SealRow>(sealsBetween, tenant, from, to);
  }
}

interface Run {
  readonly tenant: Tenant;
  readonly head: Head;
  readonly check: ChainCheck;
  readonly untilMs: number;
  seals: number;
}

function checkRows(check: ChainCheck, rows: readonly RowOf<ChainedRecord>[], hashes: Map<number, Buffer>): Break {
  for (const row of rows) {
    const brokenAt = check.next(readAuditRecord(row));
    if (brokenAt) return brokenAt;
    hashes.set(check.position, check.hash);
  }
  return undefined;
}

/** Records and seals outside the positions that the head names. */
function outsideBreak(head: Head, extent: Extent | undefined, sealedPosition: number): Break {
  const [oldest, newest] = [Number(extent?.oldest ?? 1), Number(extent?.newest ?? 0)];
  const lastPosition = Math.max(newest, sealedPosition);
  if (extent?.position == null && lastPosition > 0)
    return { position: lastPosition + 1, reason: "CutOff", detail: "The head of the log is missing." };
  if (oldest < 1) return { position: oldest, reason: "Inserted", detail: "Positions begin with 1." };
  if (newest > head.position)
    return { position: head.position + 1, reason: "Inserted", detail: `The head of the log is at ${head.position}.` };
  if (sealedPosition > head.position)
    return { position: head.position + 1, reason: "CutOff", detail: `A seal covers the position ${sealedPosition}.` };
  return undefined;
}

const headOf = (extent: Extent | undefined): Head => ({
  position: Number(extent?.position ?? 0),
  hash: extent?.hash ?? genesisHash,
  start: Number(extent?.start_position ?? 0),
  startHash: extent?.start_hash ?? genesisHash,
});

const mismatch = (position: number): AuditBreakType => ({
  position,
  reason: "SealMismatch",
  detail: "The record at this position has another hash than the seal. It or a record before it was rewritten.",
});

const cursorScope = ({ tenantId }: Tenant) => ({ list: "verifyAuditLog", tenantId });

function sealView(row: SealRow): AuditSealType {
  const { position, hash, sealedAt, jws } = readSeal(row);
  return { position: Number(position), hash: hash.toString("hex"), sealedAt: sealedAt.toISOString(), jws };
}
