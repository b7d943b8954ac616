import type { Principal } from "../auth/principal.js";
import { tenantStatement } from "../db/tenant-statement.js";
import { databaseFailure } from "../errors/database-failure.js";
import { DomainError } from "../errors/domain-error.js";
import type { AuditedAction } from "../messages/audit-record.js";
import { namedSubject } from "../messages/named-subject.js";
import { originOf, type RequestContext } from "../tenancy/request-context.js";
import { principalOf, type Tenant, tenantOf } from "../tenancy/tenant.js";
import type { Database, Transaction } from "../unit-of-work/database.js";
import { fairFingerprint, fingerprint } from "./fingerprint.js";

/** A mutation whose effect, events, jobs and stored result are written in one transaction. `Result` is plain JSON. */
interface Mutation<Prepared, Result> {
  /** The root field; it belongs to the stored key, and the operation in the audit log. */
  readonly field: string;
  readonly arguments: unknown;
  /**
   * The same arguments in other forms: with secret digests under former master keys. A stored request with any such
   * form counts as the same request.
   */
  readonly formerArguments?: readonly unknown[];
  /** The tenant whose rows are written, where it differs from the caller's tenant. */
  readonly tenant?: Tenant;
  /**
   * For the audit log, where the record must tell more or something else than the field and its arguments; false where
   * another transaction has the effect, and writes the record.
   */
  readonly audit?: Partial<AuditedAction> | false;
  /** Slow work before the transaction opens, for example network access. It does not run for a repeated request. */
  prepare?(): Promise<Prepared>;
  /**
   * Writes the effect. It runs again from its beginning after a deadlock, so it must change nothing outside the
   * transaction.
   */
  commit(transaction: Transaction, prepared: Prepared): Promise<Result>;
}

interface StoredResult {
  fingerprint: string;
  result: unknown;
}

const keyForm = /^[\x21-\x7e]{1,255}$/;
const retention = "24 hours";

const storedResult = tenantStatement(
  "idempotency_result",
  `select fingerprint, result from idempotency_records
   where tenant_id = scope.tenant and principal = $2 and field = $3 and key = $4 and created_at > now() - interval '${retention}'`,
);

const claimKey = {
  name: "idempotency_claim",
  text: `with patience as materialized (select set_config('lock_timeout', '5s', true))
    insert into idempotency_records as record (tenant_id, principal, field, key, fingerprint)
    select $1::uuid, $2, $3, $4, $5 from patience
    on conflict (tenant_id, principal, field, key) do update
      set fingerprint = excluded.fingerprint, result = null, created_at = now()
      where record.created_at <= now() - interval '${retention}'
    returning true`,
};

const storeResult = {
  name: "idempotency_store_result",
  text: "update idempotency_records set result = $5 where tenant_id = $1 and principal = $2 and field = $3 and key = $4",
};

/**
 * Runs a mutation once for each Idempotency-Key, principal and field within 24 hours. A repetition gets the stored
 * result, and only the first request writes an audit record.
 * Throws IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REUSED or IDEMPOTENCY_IN_PROGRESS.
 */
export async function idempotentMutation<Result, Prepared = undefined>(
  database: Database,
  context: RequestContext,
  mutation: Mutation<Prepared, Result>,
): Promise<Result> {
  const principal = principalOf(context);
  const tenant = mutation.tenant ?? tenantOf(context);
  const { trace, correlationId, causationId } = context;
  const { subject, scopes: actorScopes } = principal;
  const cause = {
    trace,
    correlationId,
    causationId,
    actorId: subject,
    actorScopes,
    principal,
    origin: originOf(context),
  };
  const commit = (transaction: Transaction, preparation: Prepared) => {
    if (mutation.audit !== false)
      transaction.audit({
        operation: mutation.field,
        subject: namedSubject(mutation.field, mutation.arguments),
        ...mutation.audit,
      });
    return mutation.commit(transaction, preparation);
  };
  const key = context.idempotencyKey;
  if (key === undefined) {
    const preparation = (await mutation.prepare?.()) as Prepared;
    return database.transaction(tenant, cause, (transaction) => commit(transaction, preparation));
  }
  if (!keyForm.test(key))
    throw new DomainError("IDEMPOTENCY_KEY_INVALID", {
      detail: "The Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.",
    });
  const scope = [keyHolder(principal), mutation.field, key];
  const print = await fairFingerprint(tenant.tenantId, mutation.arguments);
  const prints = [print, ...(mutation.formerArguments ?? []).map(fingerprint)];
  const storedRow = await database.reader.row<StoredResult>(storedResult, tenant, ...scope);
  if (storedRow) return replay<Result>(context, storedRow, prints);
  const preparation = (await mutation.prepare?.()) as Prepared;
  const { winner, made } = await database.transaction(tenant, cause, async (transaction) => {
    const winner = await claim(transaction, scope, print);
    if (winner) return { winner };
    const result = await commit(transaction, preparation);
    await transaction.defer(storeResult, [tenant.uuid, ...scope, JSON.stringify(result)]);
    return { made: result };
  });
  return winner ? replay<Result>(context, winner, prints) : (made as Result);
}

/** A key's owner. An agent and its subject do not share keys, and neither do an agent's tasks. */
function keyHolder({ subject, actors: [agent] = [], agentTaskId = "" }: Principal): string {
  return agent === undefined ? subject : `${subject} ${agent} ${agentTaskId}`;
}

function replay<Result>(context: RequestContext, storedRow: StoredResult, prints: readonly string[]): Result {
  if (!prints.includes(storedRow.fingerprint))
    throw new DomainError("IDEMPOTENCY_KEY_REUSED", {
      detail: "This Idempotency-Key was used before with a different request. Use a new key for a new request.",
    });
  context.replayed = true;
  return storedRow.result as Result;
}

/**
 * Claims the key and waits for a request that holds it. Returns the stored result, or undefined when this request owns
 * the key now.
 */
async function claim(transaction: Transaction, scope: string[], print: string): Promise<StoredResult | undefined> {
  try {
    const won = await transaction.execute(claimKey, [transaction.tenant.uuid, ...scope, print]);
    if (won.length > 0) return undefined;
  } catch (error) {
    if (databaseFailure(error) === "Locked")
      throw new DomainError("IDEMPOTENCY_IN_PROGRESS", {
        detail: "Another request with this Idempotency-Key is still running. Repeat the request when it has ended.",
      });
    throw error;
  }
  const [storedRow] = await transaction.execute<StoredResult>(
    "select fingerprint, result from idempotency_records where tenant_id = $1 and principal = $2 and field = $3 and key = $4",
    [transaction.tenant.uuid, ...scope],
  );
  if (!storedRow) throw new Error("The idempotency record vanished between two statements");
  return storedRow;
}
