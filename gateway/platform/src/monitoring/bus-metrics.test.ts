import { Registry } from "prom-client";
import { busMetrics } from "./bus-metrics.js";

describe("the metrics of the bus", () => {
  it("count what each consumer could not take", async () => {
    const registry = new Registry();
    busMetrics(registry, { backlog: async () => [{ consumer: "catalog.commands", held: 2, deadLetters: 1 }] });
    const text = await registry.metrics();
    expect(text).toContain('bus_unconsumed_messages{consumer="catalog.commands",state="held"} 2');
    expect(text).toContain('bus_unconsumed_messages{consumer="catalog.commands",state="dead"} 1');
  });

  it("do not stop the others while the database does not answer", async () => {
    const registry = new Registry();
    busMetrics(registry, { backlog: () => Promise.reject(new Error("gone")) });
    expect(await registry.metrics()).toContain("# TYPE bus_unconsumed_messages gauge");
  });
});
