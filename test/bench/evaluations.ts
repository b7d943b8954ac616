import { call } from "@factory/platform/client/platform-api";
import type { Stage } from "./bench-platform.js";
import { packageName, seedCatalog } from "./catalog-seed.js";
import { cpuOf, cpuOfFamily } from "./cpu-time.js";
import { type Figures, percentile } from "./report.js";

const setSize = 50;
// V8 still optimizes the code during about the first hundred evaluations
const warmUps = 100;
const requests = 300;
const goalMs = 25;
const path = "/v1/libraries/compatibility/evaluate";

/**
 * Measures evaluations for 50 libraries whose dependencies reach about 350 others, in a catalog of 10,000 libraries
 * with 20 versions each.
 */
export async function evaluations(stage: Stage): Promise<Figures> {
  await seedCatalog(stage);
  const { platform, token } = stage;
  const evaluate = async (runtime: string, first: number) => {
    const libraries = Array.from({ length: setSize }, (_, at) => ({
      packageName: packageName(first + at),
      version: `20.${(first + at) % 7}.0`,
    }));
    const startedAt = performance.now();
    const { body } = await call<{ compatible: boolean }>("POST", platform.publicUrl + path, {
      token,
      body: { runtime, libraries },
    });
    return { ms: performance.now() - startedAt, ...body };
  };
  const values: Record<string, number> = {};
  const { ms } = await evaluate("net10.0", 1);
  values["first of all, ms"] = ms;
  const takenMs: number[] = [];
  // the sets overlap, as one tenant's sets do
  const evaluateOne = async (place: number) => {
    const answer = await evaluate("net10.0", 1 + (place % 10));
    if (!answer.compatible) throw new Error("The seeded set is not compatible");
    return answer.ms;
  };
  for (let place = 0; place < warmUps; place += 1) await evaluateOne(place);
  const before = await spent(stage);
  for (let place = 0; place < requests; place += 1) takenMs.push(await evaluateOne(place));
  const after = await spent(stage);
  const each = (measure: keyof Spent) => (after[measure] - before[measure]) / (after.requests - before.requests);
  values["p50 ms"] = percentile(takenMs, 0.5);
  values["p95 ms"] = percentile(takenMs, 0.95);
  values["mean ms"] = takenMs.reduce((sum, value) => sum + value, 0) / takenMs.length;
  values["of it in the platform, ms"] = each("platformMs");
  values["CPU of the platform, ms/request"] = each("platformCpuMs");
  values["CPU of PostgreSQL, ms/request"] = each("postgresCpuMs");
  const isMet = percentile(takenMs, 0.95) <= goalMs;
  return {
    title: `Compatibility of ${setSize} libraries with what they depend on, over REST`,
    values,
    verdict: `goal: at most ${goalMs} ms (p95); result: ${isMet ? "met" : "MISSED"}`,
  };
}

/**
 * Resources used since the platform started. The relay and the bus also work between answers, so the CPU time may
 * exceed the requests' time.
 */
interface Spent {
  readonly requests: number;
  readonly platformMs: number;
  readonly platformCpuMs: number;
  readonly postgresCpuMs: number;
}

async function spent({ platform, postgresPid }: Stage): Promise<Spent> {
  const metrics = await (await fetch(`${platform.internalUrl}/metrics`)).text();
  const metric = (name: string) => {
    const line = metrics
      .split("\n")
      .find(
        (metricLine) =>
          metricLine.startsWith(`http_request_duration_seconds_${name}{`) && metricLine.includes(`"${path}"`),
      );
    return Number(line?.slice(line.lastIndexOf(" ")));
  };
  return {
    requests: metric("count"),
    platformMs: metric("sum") * 1000,
    platformCpuMs: (await cpuOf(platform.pid)) / 1000,
    postgresCpuMs: (await cpuOfFamily(postgresPid)) / 1000,
  };
}
