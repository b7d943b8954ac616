import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import type { FlagSettings } from "./evaluation/flag-rule.js";
import { FlagSet } from "./evaluation/flag-set.js";
import { FlagEvaluation } from "./flag-evaluation.js";
import { StreamTickets } from "./stream-tickets.js";

const settings: FlagSettings = {
  enabled: true,
  rolloutPercentage: 50,
  description: null,
  stickiness: "targetingKey",
  rules: [],
};

/** Evaluates so many flags. Returns the points that were charged, and how many works had separate turns. */
async function evaluated(flags: number) {
  const keys = Array.from({ length: flags }, (_, at) => ({ key: `flag-${at}`, ...settings }));
  const set = new FlagSet("ten_1", 1, keys);
  const sets = { of: () => set, watch: () => () => undefined };
  let pauseCount = 0;
  const work = {
    run<Result>(tenantId: string, pausable: PausableWork<Result>): Promise<Result> {
      pauseCount += 1;
      return longWork.run(tenantId, pausable);
    },
  };
  const evaluation = new FlagEvaluation(sets, new StreamTickets(someMasterKeys(1)), work);
  let chargedPoints = 0;
  const charge = async (points: number) => void (chargedPoints += points);
  const body = { context: { targetingKey: "5f0c3c0e" } };
  const answer = await evaluation.evaluateAll({ tenantId: "ten_1" }, body, { stream: "/stream", charge });
  if ("status" in answer) throw new Error(answer.body);
  expect((JSON.parse(await answer.body()) as { flags: unknown[] }).flags).toHaveLength(flags);
  return { charged: chargedPoints, paused: pauseCount };
}

describe("the evaluation of all flags", () => {
  it("waits for no turn of its own where it is small, since that would slow every ordinary request", async () => {
    expect(await evaluated(400)).toEqual({ charged: 0, paused: 0 });
  });

  it("pauses, with its text, where it is larger, and is paid for above a thousand steps", async () => {
    expect(await evaluated(401)).toEqual({ charged: 0, paused: 2 });
    expect(await evaluated(1001)).toEqual({ charged: 1, paused: 2 });
  });
});
