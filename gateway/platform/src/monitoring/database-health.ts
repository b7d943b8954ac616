import { setTimeout as sleep } from "node:timers/promises";
import type { ServerWatch } from "@factory/runtime/connections/server-watch";

interface Readiness {
  readonly ready: boolean;
  readonly checks: Record<string, string>;
}

/** A subgraph that does not answer in this time is not ready. */
const patienceMs = 1500;

type Checked = Readonly<Record<string, { ready(): Promise<void> }>>;

/**
 * Returns the database entry in `/readyz`. While the database does not answer, no query is sent, so that `/readyz`
 * answers at once.
 */
export async function databaseHealth(watch: ServerWatch, subgraphs: Checked): Promise<Readiness> {
  const state = (good: boolean) => (good ? "ok" : "unavailable");
  const answers = watch.answers ? await Promise.allSettled(Object.values(subgraphs).map(answerInTime)) : [];
  const checks = {
    ...Object.fromEntries(
      Object.keys(subgraphs).map((name, place) => [name, state(answers[place]?.status === "fulfilled")]),
    ),
    database: state(watch.answers),
    writes: state(watch.answers && watch.writes),
  };
  return { ready: Object.values(checks).every((check) => check === "ok"), checks };
}

async function answerInTime(subgraph: { ready(): Promise<void> }): Promise<void> {
  const late = sleep(patienceMs, undefined, { ref: false }).then(() => {
    throw new Error("The subgraph did not answer in time");
  });
  await Promise.race([subgraph.ready(), late]);
}
