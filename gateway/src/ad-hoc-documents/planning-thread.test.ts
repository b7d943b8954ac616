import { createLogger } from "@factory/runtime/telemetry/logger";
import { readCommittedSupergraph } from "../supergraph/committed-supergraph.js";
import { ensureCompiledWorker } from "./compiled-worker.fixture.js";
import { costlyDocument } from "./costly-document.fixture.js";
import type { PlanningAnswer } from "./planning-request.js";
import { type PlanningLimits, PlanningThread } from "./planning-thread.js";

let supergraphSdl: string;
let thread: PlanningThread;

beforeAll(async () => {
  ensureCompiledWorker();
  supergraphSdl = await readCommittedSupergraph();
});
afterEach(() => thread.close());

function start(limits: Partial<PlanningLimits> = {}): void {
  const setup = { supergraphSdl, introspection: true, maxPlanBytes: 64 * 1024 };
  thread = new PlanningThread(setup, createLogger("test", "silent"), limits);
}

const plan = (owner: string, text: string) => thread.plan(owner, { text, operationName: undefined });
const cheap = "{ template(templateId: 1) { name } }";
const dear = costlyDocument({
  ...{ type: "VendorApiClient", field: "key", conditions: 14 },
  enclose: (selection) => `searchLibraries(input: {}) { results { apiClient ${selection} } }`,
});

const kindOf = (answer: PlanningAnswer | "cut") => (answer === "cut" ? answer : answer.kind);

describe("the planning thread", () => {
  it("validates and plans", async () => {
    start();
    expect(kindOf(await plan("a", cheap))).toBe("planned");
    expect(await plan("a", "{ nothing }")).toMatchObject({ kind: "refused", problems: [{ positions: [2] }] });
    expect(await plan("a", "{")).toMatchObject({ kind: "refused" });
  });

  it("ends a document that takes too long, and the others go on", async () => {
    // The first document in a new thread needs 20 ms on an idle machine.
    start({ cpuMs: 2000 });
    const answers = await Promise.all([plan("hostile", dear), plan("hostile", dear), plan("other", cheap)]);
    expect(answers.map(kindOf)).toEqual(["cut", "cut", "planned"]);
    expect(kindOf(await plan("hostile", cheap))).toBe("planned");
  });

  it("gives each owner its turn, whatever waits of the others", async () => {
    start();
    const order: string[] = [];
    const plans = ["a", "a", "a", "a", "a", "a", "b"].map(async (owner) => {
      await plan(owner, cheap);
      order.push(owner);
    });
    await Promise.all(plans);
    expect(order.indexOf("b")).toBeLessThanOrEqual(1);
  });

  it("lets no owner wait with more than its share", async () => {
    start();
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => plan("a", cheap)));
    const refusals = outcomes.filter(({ status }) => status === "rejected");
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals[0]).toMatchObject({ reason: { code: "RATE_LIMITED" } });
    expect(kindOf(await plan("b", cheap))).toBe("planned");
  });

  it("lets go of what waits when it is closed", async () => {
    start();
    const waiting = [plan("a", cheap), plan("a", cheap)].map((each) => each.catch((error: unknown) => error));
    await thread.close();
    expect(await Promise.all(waiting)).toMatchObject([{ code: "UNAVAILABLE" }, { code: "UNAVAILABLE" }]);
    await expect(plan("a", cheap)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
