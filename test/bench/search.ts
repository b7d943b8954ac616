import { call } from "@factory/platform/client/platform-api";
import type { Stage } from "./bench-platform.js";
import { actions, areas, capabilitiesEach, libraryCount, seedCatalog, versionsEach } from "./catalog-seed.js";
import { type Figures, percentile } from "./report.js";

const warmUps = 20;
const requestsEach = 150;
const goalMs = 15;

interface Found {
  readonly total: number;
  readonly nextCursor: string | null;
}

/** The queries by their names in the report. */
function searches(): Record<string, Record<string, unknown>> {
  const [area = "", action = ""] = [areas[17], actions[11]];
  return {
    "exact name": { capability: `${area}.${action}` },
    contract: { capability: `${area}-${action}/v1` },
    "first word of a name": { capability: area },
    "two words, other order": { capability: `${action} ${area}` },
    "a word of 1 in 80": { capability: action },
    "beginning of a word": { capability: area.slice(0, -1) },
    misspelt: { capability: `${area.slice(0, 2)}${area[3]}${area[2]}${area.slice(4)}.${action}` },
    "nothing alike": { capability: "zzzzzzzz.yyyyyyyy" },
    "name and framework": { capability: `${area}.${action}`, targetFramework: "net8.0" },
    "misspelt and framework": { capability: `${area}x`, targetFramework: "net48" },
    "name, area, owner, tag": { capability: action, area: "AREA-7", owner: "team-7", tags: ["tag-7"] },
    "with API clients": { capability: `${area}.${action}`, includeApiClients: true },
    "a page of 100": { capability: area, limit: 100 },
    area: { area: "area-7" },
    "the whole catalog": {},
    "a word of every library": { capability: "v1" },
  };
}

/**
 * Measures searches over REST in a tenant with 200,000 capabilities. Another tenant has as many under the same names.
 */
export async function librarySearches(stage: Stage): Promise<Figures> {
  await seedCatalog(stage);
  const { platform, token } = stage;
  const search = async (body: unknown) =>
    (await call<Found>("POST", `${platform.publicUrl}/v1/libraries/search`, { token, body })).body;
  const values: Record<string, number> = {};
  const missedGoals: string[] = [];
  for (const [name, input] of Object.entries(searches())) {
    const { total, nextCursor } = await search(input);
    const pages = nextCursor === null ? [input] : [input, { ...input, cursor: nextCursor }];
    const takenMs: number[] = [];
    for (let place = 0; place < warmUps + requestsEach; place += 1) {
      const startedAt = performance.now();
      await search(pages[place % pages.length]);
      if (place >= warmUps) takenMs.push(performance.now() - startedAt);
    }
    values[`${name}: found`] = total;
    values[`${name}: p50 ms`] = percentile(takenMs, 0.5);
    values[`${name}: p95 ms`] = percentile(takenMs, 0.95);
    if (percentile(takenMs, 0.95) > goalMs) missedGoals.push(name);
  }
  const verdict = missedGoals.length === 0 ? "met" : `MISSED by ${missedGoals.join(", ")}`;
  return {
    title: `Library search over REST, ${libraryCount} libraries of ${versionsEach} versions and ${capabilitiesEach} capabilities`,
    values,
    verdict: `goal: p95 at most ${goalMs} ms; result: ${verdict}`,
  };
}
