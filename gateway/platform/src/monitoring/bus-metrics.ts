import type { BusDeadLetters } from "@factory/runtime/bus/dead-letters";
import { Gauge, type Registry } from "prom-client";

/**
 * Registers the gauge for dead letters: messages that a bus consumer group could not consume. The gauge has no values
 * while the database does not answer.
 */
export function busMetrics(registry: Registry, deadLetters: Pick<BusDeadLetters, "backlog">): void {
  const gauge = new Gauge({
    name: "bus_unconsumed_messages",
    help: "Messages that a consumer could not process. held: they are tried again. dead: they are kept as dead letters.",
    labelNames: ["consumer", "state"],
    registers: [registry],
    async collect() {
      const groups = await deadLetters.backlog().catch(() => []);
      gauge.reset();
      for (const { consumer, held, deadLetters: dead } of groups) {
        gauge.set({ consumer, state: "held" }, held);
        gauge.set({ consumer, state: "dead" }, dead);
      }
    },
  });
}
