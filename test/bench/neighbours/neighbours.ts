import autocannon, { type LoadRequest } from "autocannon";
import type { Stage } from "../bench-platform.js";
import type { Rounds } from "../interleave.js";
import { type Figures, percentile } from "../report.js";
import { refusedNames } from "./heavy-bodies.js";
import { heavyLoads, heavyNames, lightNames } from "./heavy-requests.js";

const callers = 8;
const goal = 2;
/** A GET takes so long at most while nothing else runs. */
const quietMs = 20;

/**
 * Measures one tenant's GET beside another tenant's callers, who send plain GETs or heavy requests in turn. The rate
 * limits are lifted, so the callers never wait.
 */
export async function neighbours(stage: Stage, { rounds, seconds }: Rounds): Promise<Figures> {
  const values: Record<string, number> = {};
  const missedGoals: string[] = [];
  for (const name of heavyNames) {
    const { plain, heavy } = await heavyLoads(stage, name);
    await checkHeavy(stage, name, heavy);
    await medianBeside(stage, heavy, seconds);
    const medians = { plain: [] as number[], heavy: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      medians.plain.push(await medianBeside(stage, plain, seconds));
      medians.heavy.push(await medianBeside(stage, heavy, seconds));
    }
    const ratio = percentile(
      medians.heavy.map((median, round) => median / (medians.plain[round] ?? Number.NaN)),
      0.5,
    );
    values[`${name}: median beside plain GETs, ms`] = percentile(medians.plain, 0.5);
    values[`${name}: median beside heavy requests, ms`] = percentile(medians.heavy, 0.5);
    values[`${name}: ratio`] = ratio;
    process.stderr.write(`${name}: ${ratio.toFixed(2)}x\n`);
    if (!(ratio <= goal) && !lightNames.has(name)) missedGoals.push(name);
  }
  return {
    title: `A GET of one tenant beside ${callers} callers of another tenant`,
    values,
    verdict: `goal: at most ${goal}x of the median beside plain GETs; result: ${missedGoals.length === 0 ? "met" : `MISSED by ${missedGoals.join(", ")}`}`,
  };
}

/** A request that is refused would not be heavy. */
async function checkHeavy(
  { platform }: Stage,
  name: string,
  { path, method = "GET", headers = {}, body }: LoadRequest,
) {
  const startedAt = performance.now();
  const answer = await fetch(platform.publicUrl + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  const takenMs = Math.round(performance.now() - startedAt);
  process.stderr.write(`${name}: ${answer.status}, ${text.length} characters in ${takenMs} ms\n`);
  if (answer.status >= 400 && !refusedNames.has(name)) throw new Error(`${name} answered ${text.slice(0, 500)}`);
}

/** The median time for the GETs that the other tenant sends one after the other during the load. */
async function medianBeside({ platform, token, templates }: Stage, load: LoadRequest, seconds: number) {
  const url = `${platform.publicUrl}/v1/templates/${templates[0]?.templateId}`;
  const headers = { authorization: `Bearer ${token}` };
  const loading = autocannon({
    url: platform.publicUrl,
    connections: callers,
    duration: seconds + 1,
    requests: [load],
    idReplacement: String(load.body).includes("[<id>]"),
    // in a separate thread, so that its answers do not delay the measured ones
    workers: 1,
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const takenMs: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`The measured GET answered ${answer.status}`);
    takenMs.push(performance.now() - startedAt);
  }
  const { errors } = await loading;
  if (errors > 0) throw new Error(`${errors} requests of the load failed`);
  await quiet(url, headers);
  return percentile(takenMs, 0.5);
}

/** Waits until the load's work has ended, since it would count for the next one. */
async function quiet(url: string, headers: Record<string, string>): Promise<void> {
  for (let inTurn = 0, tries = 0; inTurn < 5 && tries < 2000; tries += 1) {
    const startedAt = performance.now();
    await (await fetch(url, { headers })).arrayBuffer();
    inTurn = performance.now() - startedAt < quietMs ? inTurn + 1 : 0;
  }
}
