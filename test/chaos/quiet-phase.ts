import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "./ledger.js";
import { type Customer, execute } from "./load.js";
import type { WebhookReceiver } from "./webhook-receiver.js";

/** No machine is so slow: an execution that takes longer is stuck. */
const longestWaitMs = 300_000;

/** Times for a customer's work (ms). */
export interface Quiet {
  readonly executionP95: number;
  readonly webhookP95: number;
  readonly executions: number;
}

/** Executes and registers one after the other for some seconds. `receiver` gets this customer's events alone. */
export async function workSteadily(customer: Customer, receiver: WebhookReceiver, seconds: number): Promise<Quiet> {
  const waitsMs: number[] = [];
  const from = receiver.latenciesMs.length;
  const deadline = Date.now() + seconds * 1000;
  const run = `${Date.now()}`;
  while (Date.now() < deadline || waitsMs.length < 3) {
    const startedAt = performance.now();
    const { executionId } = await execute(customer, `steady/n${run}-${waitsMs.length}`);
    const path = `/v1/templates/${customer.templateId}/executions/${executionId}`;
    while ((await customer.caller.ask<{ status: string }>("GET", path)).body?.status !== "Completed") {
      if (performance.now() - startedAt > longestWaitMs)
        throw new Error(`An execution waits for ${longestWaitMs / 60_000} minutes`);
      await sleep(20);
    }
    waitsMs.push(performance.now() - startedAt);
    const name = `steady-${run}-${waitsMs.length}`;
    await customer.caller.acknowledged("/v1/templates", { name }, name);
  }
  await sleep(2000);
  return {
    executionP95: percentile(waitsMs, 0.95),
    webhookP95: percentile(receiver.latenciesMs.slice(from), 0.95),
    executions: waitsMs.length,
  };
}
