import type { BusDeadLetters } from "@factory/runtime/bus/dead-letters";
import { Gauge, type Registry } from "prom-client";

/** What the groups of the bus could not consume. Without an answer of the database nothing is reported. */
export function busMetrics(registry: Registry, deadLetters: Pick<BusDeadLetters, "backlog">): void {
  const gauge = new Gauge({
    name: "bus_unconsumed_messages",
    help: "Messages that a consumer could not take: held while they are tried again, dead when they are parked.",
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
