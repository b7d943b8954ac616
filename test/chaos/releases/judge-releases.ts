import { setTimeout as sleep } from "node:timers/promises";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { rowsIn } from "../../kit/database.js";
import type { Ledger } from "../ledger.js";
import type { Acknowledged, Load } from "../load.js";
import type { WebhookReceiver } from "../webhook-receiver.js";
import type { RunningRelease } from "./running-release.js";

/** An interrupted job waits for its process's lease, and the sweeper repairs a row after 60 to 90 s. */
const settleMs = 180_000;
const leastReads = 50;
/** A server on a busy machine sends these answers too, and callers repeat the request. */
const mayComeAgain = [503, 504];

interface Judged {
  readonly former: RunningRelease;
  readonly present: RunningRelease;
  readonly receiver: WebhookReceiver;
  readonly ledger: Ledger;
}

/**
 * Compares the work that both releases acknowledged with what is stored and was delivered after the former has ended.
 */
export async function judgeReleases(databaseUrl: string, load: Load, run: Judged): Promise<void> {
  const { former, present, receiver, ledger } = run;
  const none = (promise: string, count: number) =>
    ledger.note({ promise: `two releases: ${promise}`, found: count, atMost: 0 });
  const deadline = Date.now() + settleMs;
  while (Date.now() < deadline && (await unfinishedWork(databaseUrl, load, receiver)) > 0) await sleep(1000);

  ledger.note({ promise: "two releases: acknowledged registrations", found: load.registered.length });
  ledger.note({ promise: "two releases: acknowledged executions", found: load.executed.length });
  none("lost registrations", await missing(databaseUrl, templates, load.registered, "tpl"));
  none("executions not Completed", await missing(databaseUrl, completedExecutions, load.executed, "exe"));
  none("lost events", lostEvents(load, receiver));
  none("messages that no consumer could process", await deadLetters(databaseUrl));
  for (const [name, { reads, failures, failedStarts }] of Object.entries({ former, present })) {
    ledger.note({ promise: `two releases: reads of the ${name} one`, found: reads });
    ledger.note({ promise: `two releases: repeated starts of the ${name} one`, found: failedStarts });
    none(`missing reads of the ${name} one`, Math.max(0, leastReads - reads));
    for (const [status, count] of failures) {
      const promise = `two releases: answers ${status} of the ${name} one`;
      ledger.note({ promise, found: count, ...(mayComeAgain.includes(status) ? {} : { atMost: 0 }) });
    }
  }
  for (const caller of new Set([...load.registered, ...load.executed].map(({ customer }) => customer.caller)))
    for (const [answer, count] of caller.refused) none(`refused with ${answer}`, count);
}

const templates = "select template_id as id from catalog.templates where template_id = any($1)";
const completedExecutions =
  "select execution_id as id from catalog.executions where execution_id = any($1) and status = 'Completed'";

async function missing(databaseUrl: string, query: string, requests: readonly Acknowledged[], kind: "tpl" | "exe") {
  const ids = requests.map(({ id }) => decodeId(kind, id));
  return ids.length - (await rowsIn(databaseUrl, query, [ids])).length;
}

function lostEvents({ registered, executed }: Load, receiver: WebhookReceiver): number {
  const expectedEvents = [
    ...registered.map(({ id }) => ["TemplateRegistered", `templates/${id}`] as const),
    ...executed.map(({ id }) => ["TemplateExecuted", `executions/${id}`] as const),
  ];
  return expectedEvents.filter(([type, subject]) => receiver.count(type, subject) === 0).length;
}

const unfinishedWork = async (databaseUrl: string, load: Load, receiver: WebhookReceiver) =>
  lostEvents(load, receiver) + (await missing(databaseUrl, completedExecutions, load.executed, "exe"));

async function deadLetters(databaseUrl: string): Promise<number> {
  return (await rowsIn(databaseUrl, "select from bus.dead_letters", [])).length;
}
