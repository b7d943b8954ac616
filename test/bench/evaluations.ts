import { call } from "@factory/gateway/standalone/platform-api";
import { packageName, seedCatalog } from "./catalog-seed.js";
import { type Figures, percentile } from "./report.js";
import type { Stage } from "./stage.js";

const setSize = 50;
const warmUps = 30;
const requests = 200;
const goalMs = 25;

/** Evaluations of 50 libraries whose dependencies reach some 350, in a catalog of 10,000 with 20 versions each. */
export async function evaluations(stage: Stage): Promise<Figures> {
  await seedCatalog(stage);
  const { platform, token } = stage;
  const evaluate = async (runtime: string, first: number) => {
    const libraries = Array.from({ length: setSize }, (_, at) => ({
      packageName: packageName(first + at),
      version: `20.${(first + at) % 7}.0`,
    }));
    const started = performance.now();
    const path = "/v1/libraries/compatibility/evaluate";
    const { body } = await call<{ compatible: boolean }>("POST", platform.publicUrl + path, {
      token,
      body: { runtime, libraries },
    });
    return { ms: performance.now() - started, ...body };
  };
  const values: Record<string, number> = {};
  const { ms } = await evaluate("net10.0", 1);
  values["first of all, ms"] = ms;
  const takenMs: number[] = [];
  for (let place = 0; place < warmUps + requests; place += 1) {
    // sets that overlap, as those of one tenant do
    const answer = await evaluate("net10.0", 1 + (place % 10));
    if (!answer.compatible) throw new Error("The seeded set is not compatible");
    if (place >= warmUps) takenMs.push(answer.ms);
  }
  values["p50 ms"] = percentile(takenMs, 0.5);
  values["p95 ms"] = percentile(takenMs, 0.95);
  const met = percentile(takenMs, 0.5) <= goalMs;
  return {
    title: `Compatibility of ${setSize} libraries with what they depend on, over REST`,
    values,
    verdict: `goal: at most ${goalMs} ms (p50); result: ${met ? "met" : "MISSED"}`,
  };
}
