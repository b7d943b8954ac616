import type { Backlog, WaitingWork } from "@factory/runtime/backlogs/waiting-work";
import { Gauge, type Registry } from "prom-client";

/** Scrapers may come more often than the database should count. */
const freshMs = 5000;

/**
 * Registers the gauges for due work over all processes. While the database does not answer they have no values, so that
 * an alarm about missing values tells it.
 */
export function backlogMetrics(registry: Registry, backlogs: readonly Backlog[]): void {
  const readWork = remembered(async () => (await Promise.all(backlogs.map((backlog) => backlog.waiting()))).flat());
  const gauge = (name: string, help: string, value: (work: WaitingWork) => number) => {
    const registeredGauge = new Gauge({
      name,
      help,
      labelNames: ["kind", "name"],
      registers: [registry],
      async collect() {
        const works = await readWork().catch(() => []);
        registeredGauge.reset();
        for (const work of works) registeredGauge.set({ kind: work.kind, name: work.name }, value(work));
      },
    });
  };
  gauge(
    "waiting_work",
    "Work that is due and that nobody has taken yet, over all processes; at most 10,000 are counted. consumer: messages of the bus. queue: jobs. dispatcher: webhooks and deliveries of vendors.",
    ({ waiting }) => waiting,
  );
  gauge(
    "waiting_work_oldest_seconds",
    "How long the oldest work has been due, over all processes; 0 for none.",
    ({ oldestSeconds }) => oldestSeconds,
  );
}

/** Asks again only when the last answer is older than `freshMs`. Callers at the same time share an answer. */
function remembered<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer && performance.now() - askedAt < freshMs) return answer;
    askedAt = performance.now();
    const pending = ask();
    answer = pending;
    pending.catch(() => {
      if (answer === pending) answer = undefined;
    });
    return pending;
  };
}
