import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./caller.js";
import type { Scene } from "./fault-scenario.js";
import type { Stage } from "./stage.js";

const recoveryMs = 60_000;
/** The time from the server's freeze to the first 503: two seconds without an answer and a probe's interval. */
const longestAnswerMs = 5000;

export type Repair = () => Promise<void>;

/** Reads and writes continue during the outage. Each must be answered in time, with 2xx or 503. */
export async function outage(
  { customers, ledger, random, size }: Pick<Scene, "customers" | "ledger" | "random" | "size">,
  stage: Stage,
  subject: string,
  begin: () => Promise<Repair | undefined>,
): Promise<void> {
  const [customer] = customers;
  if (!customer) return;
  await sleep((1000 + 2000 * random()) * size.pace);
  const answers: Answer<unknown>[] = [];
  let over = false;
  const asking = async (ask: () => Promise<Answer<unknown>>) => {
    while (!over) {
      answers.push(await ask());
      await sleep(50);
    }
  };
  const writeOne = () => customer.caller.ask("POST", "/v1/templates", { body: { name: `meanwhile-${randomUUID()}` } });
  const readOne = () => customer.caller.ask("GET", `/v1/templates/${customer.templateId}`);
  const callers = Promise.all([asking(readOne), asking(writeOne)]);
  const repair = await begin();
  await repair?.();
  const repairedAt = performance.now();
  const hasRecovered = await until(async () => (await fetch(`${stage.platform.publicUrl}/readyz`)).status === 200);
  over = true;
  await callers;
  const seconds = hasRecovered ? (performance.now() - repairedAt) / 1000 : Number.NaN;
  const longestMs = Math.max(...answers.map(({ ms }) => ms));
  const count = (counts: (status: number) => boolean) => answers.filter(({ status }) => counts(status)).length;
  ledger.note({ promise: `${subject}: ready again`, found: seconds, atMost: recoveryMs / 1000, unit: " s" });
  ledger.note({ promise: `${subject}: longest answer`, found: longestMs, atMost: longestAnswerMs, unit: " ms" });
  ledger.note({ promise: `${subject}: answers 503`, found: count((status) => status === 503) });
  ledger.note({
    promise: `${subject}: answers other than 200, 201 and 503`,
    found: count((status) => ![200, 201, 503].includes(status)),
    atMost: 0,
  });
}

export async function until(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + recoveryMs;
  while (Date.now() < deadline) {
    if (await condition().catch(() => false)) return true;
    await sleep(100);
  }
  return false;
}
