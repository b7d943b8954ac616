import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Ledger, percentile } from "./ledger.js";
import type { Acknowledged, Load } from "./load.js";
import type { Stage } from "./stage.js";
import type { WebhookReceiver } from "./webhook-receiver.js";

const run = promisify(execFile);

/**
 * Acknowledged work must be finished within this time after the last fault, in milliseconds. A job that was interrupted
 * three times waits up to 75 s for a run alone, and the sweeper repairs a row after 60 to 90 s.
 */
const settleMs = 600_000;

/** A run with less acknowledged work proves nothing. */
export interface Floor {
  readonly registrations: number;
  readonly executions: number;
}

interface ExecutionRow {
  readonly execution_id: string;
  readonly repository: string;
  readonly status: string;
  readonly error: { code: string; message: string } | null;
  readonly wait_ms: number | null;
}

/** Compares the acknowledged requests with the rows, commits and webhooks that exist. */
export async function judge(
  stage: Stage,
  { load, receiver, ledger, floor }: { load: Load; receiver: WebhookReceiver; ledger: Ledger; floor: Floor },
): Promise<void> {
  const leftovers = await leftLying(stage, load, receiver);
  const registrationFigures = await registrations(stage, load, receiver);
  const executionFigures = await executions(stage, load, receiver);
  ledger.note({ promise: "acknowledged registrations", found: load.registered.length, atLeast: floor.registrations });
  ledger.note({ promise: "acknowledged executions", found: load.executed.length, atLeast: floor.executions });
  ledger.note({ promise: "lost registrations", found: registrationFigures.lost, atMost: 0 });
  ledger.note({ promise: "doubled registrations", found: registrationFigures.doubled, atMost: 0 });
  ledger.note({ promise: "executions not Completed", found: executionFigures.unfinished, atMost: 0 });
  for (const [error, count] of executionFigures.errors)
    ledger.note({ promise: `executions ended with ${error}`, found: count, atMost: 0 });
  ledger.note({ promise: "doubled executions", found: executionFigures.doubled, atMost: 0 });
  ledger.note({ promise: "executions without exactly one commit", found: executionFigures.commits, atMost: 0 });
  ledger.note({
    promise: "lost events",
    found: registrationFigures.lostEvents + executionFigures.lostEvents,
    atMost: 0,
  });
  ledger.note({
    promise: "doubled events",
    found: registrationFigures.doubledEvents + executionFigures.doubledEvents,
    atMost: 0,
  });
  ledger.note({ promise: "webhook attempts beyond the first", found: receiver.repeated });
  if (executionFigures.waitsMs.length > 0) {
    const waitSeconds = (share: number) => percentile(executionFigures.waitsMs, share) / 1000;
    ledger.note({
      promise: "execution, acceptance to Completed, p50",
      found: waitSeconds(0.5),
      atMost: 30,
      unit: " s",
    });
    ledger.note({ promise: "execution, acceptance to Completed, p95", found: waitSeconds(0.95), unit: " s" });
  }
  for (const [kind, count] of Object.entries(leftovers))
    ledger.note({ promise: `left lying: ${kind}`, found: count, atMost: 0 });
  for (const customer of new Set([...load.registered, ...load.executed].map((request) => request.customer)))
    for (const [answer, count] of customer.caller.refused)
      ledger.note({ promise: `answers ${answer}to ${customer.slug}`, found: count, atMost: 0 });
}

/**
 * Waits until everything has arrived, at most for `settleMs`, and returns the rows that are left. A row that gets older
 * meanwhile may still be repaired, so nobody looks again later.
 */
async function leftLying(stage: Stage, load: Load, receiver: WebhookReceiver): Promise<Record<string, number>> {
  const deadline = Date.now() + settleMs;
  const haveArrived = () =>
    load.registered.every(({ id }) => receiver.count("TemplateRegistered", `templates/${id}`) > 0) &&
    load.executed.every(({ id }) => receiver.count("TemplateExecuted", `executions/${id}`) > 0);
  for (;;) {
    const leftovers = await unfinishedRows(stage, receiver);
    if (Date.now() > deadline || (haveArrived() && Object.values(leftovers).every((count) => count === 0)))
      return leftovers;
    await sleep(1000);
  }
}

/** The number of rows in a state that is not final, by table. */
async function unfinishedRows(stage: Stage, receiver: WebhookReceiver): Promise<Record<string, number>> {
  const counts: Record<string, string> = {
    executions: "select count(*) from catalog.executions where status in ('Requested', 'Running')",
    // only messages to the receiver that answers count, because the others wait for their circuit breakers
    "webhook messages": `select count(*)
      from integration.webhook_messages message join integration.webhook_subscriptions using (tenant_id, subscription_id)
      where endpoint_url = '${receiver.url}' and message.status in ('Pending', 'Delivering', 'RetryScheduled')`,
    "events to publish": `select (select count(*) from catalog.outbox where published_at is null)
      + (select count(*) from integration.outbox where published_at is null)
      + (select count(*) from spine.outbox where published_at is null) as count`,
    "parked messages": "select count(*) from bus.dead_letters",
    "held messages": "select count(*) from bus.held",
    "dead jobs": `select (select count(*) from catalog_jobs.job where name like '%.dead' and state < 'completed')
      + (select count(*) from integration_jobs.job where name like '%.dead' and state < 'completed')
      + (select count(*) from spine_jobs.job where name like '%.dead' and state < 'completed') as count`,
    "provisioning runs": "select count(*) from spine.tenants where status = 'Provisioning'",
  };
  const results = await Promise.all(Object.values(counts).map((text) => stage.rows<{ count: string }>(text)));
  const entries = Object.keys(counts).map((kind, place) => [kind, Number(results[place]?.[0]?.count)] as const);
  const answer = await fetch(`${stage.platform.internalUrl}/jobs/lying`);
  const swept = Object.entries((await answer.json()) as Record<string, number>);
  return Object.fromEntries([...entries, ...swept.map(([slice, count]) => [`${slice}, by the sweeper`, count])]);
}

async function registrations(stage: Stage, { registered }: Load, receiver: WebhookReceiver) {
  const rows = await stage.rows<{ template_id: string; name: string }>(
    "select template_id, name from catalog.templates where name = any($1)",
    [registered.map(({ name }) => name)],
  );
  const present = new Set(rows.map(({ template_id }) => template_id));
  const events = registered.map(({ id }) => receiver.count("TemplateRegistered", `templates/${id}`));
  return {
    lost: registered.filter(({ id }) => !present.has(decodeId("tpl", id) ?? "")).length,
    doubled: rows.length - new Set(rows.map(({ name }) => name)).size,
    lostEvents: events.filter((count) => count === 0).length,
    doubledEvents: events.filter((count) => count > 1).length,
  };
}

async function executions(stage: Stage, { executed }: Load, receiver: WebhookReceiver) {
  const rows = await stage.rows<ExecutionRow>(
    `select execution_id, repository, status, error,
       extract(epoch from completed_at - requested_at) * 1000 as wait_ms
     from catalog.executions where repository = any($1)`,
    [executed.map(({ name }) => name)],
  );
  const completedIds = new Set(
    rows.filter(({ status }) => status === "Completed").map(({ execution_id }) => execution_id),
  );
  const perExecution = ["ScaffoldGenerated", "TemplateExecuted"].flatMap((type) =>
    executed.map(({ id }) => receiver.count(type, `executions/${id}`)),
  );
  const commits: number[] = [];
  for (const execution of executed) commits.push(await commitsOf(stage, execution));
  return {
    unfinished: executed.filter(({ id }) => !completedIds.has(decodeId("exe", id) ?? "")).length,
    errors: countedErrors(rows),
    doubled: rows.length - new Set(rows.map(({ repository }) => repository)).size,
    commits: commits.filter((count) => count !== 1).length,
    lostEvents: perExecution.filter((count) => count === 0).length,
    doubledEvents: perExecution.filter((count) => count > 1).length,
    waitsMs: rows.flatMap(({ wait_ms }) => (wait_ms === null ? [] : [Number(wait_ms)])),
  };
}

/** The number of executions by error, so that a broken promise shows its cause. */
function countedErrors(rows: readonly ExecutionRow[]): Map<string, number> {
  const errors = new Map<string, number>();
  for (const { error } of rows) {
    if (!error) continue;
    const name = `${error.code}: ${error.message}`;
    errors.set(name, (errors.get(name) ?? 0) + 1);
  }
  return errors;
}

/** The number of commits on the branch in the embedded git store, as a clone has them; 0 for a repository that cannot be cloned. */
async function commitsOf({ platform }: Stage, { customer, name }: Acknowledged): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "chaos-clone-"));
  try {
    const url = new URL(`/git/${customer.slug}/${name}.git`, platform.publicUrl);
    Object.assign(url, { username: "x", password: await customer.caller.token() });
    await run("git", ["clone", "--quiet", "--bare", url.href, folder]);
    return Number((await run("git", ["-C", folder, "rev-list", "--count", "main"])).stdout);
  } catch {
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
