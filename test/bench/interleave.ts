import autocannon, { type LoadRequest } from "autocannon";
import { cpuOf, cpuOfFamily } from "./cpu-time.js";

/** One server in a table. All servers in a table answer the same requests. */
export interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** This server's PostgreSQL, where it has another one than the stage. */
  readonly postgresPid?: number;
  readonly requests: readonly LoadRequest[];
}

export interface Shot {
  /** The server process's CPU microseconds, without PostgreSQL. */
  readonly cpuPerRequest: number;
  readonly postgresCpuPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Waits until a shot may begin, and runs it. */
export type Turn = <T>(shot: () => Promise<T>) => Promise<T>;

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: number;
  readonly postgresPid: number;
  /** Absent: no other bench runs at the same time. */
  readonly turn?: Turn;
}

/** Runs every contestant once in each round, so that other load on the machine affects all of them equally. */
export async function interleave(contestants: readonly Contestant[], options: Rounds): Promise<Map<string, Shot[]>> {
  for (const contestant of contestants) await shoot(contestant, options.warmUpSeconds, options);
  const shots = new Map<string, Shot[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const contestant of contestants) {
      const shot = await shoot(contestant, options.seconds, options);
      shots.get(contestant.name)?.push(shot);
      process.stderr.write(
        `round ${round}/${options.rounds}  ${contestant.name}  ${Math.round(shot.cpuPerRequest)} us CPU\n`,
      );
    }
  }
  return shots;
}

function shoot(contestant: Contestant, seconds: number, options: Rounds): Promise<Shot> {
  const shot = () => shootNow(contestant, seconds, options);
  return options.turn ? options.turn(shot) : shot();
}

async function shootNow(contestant: Contestant, seconds: number, options: Rounds): Promise<Shot> {
  const { connections } = options;
  const { postgresPid = options.postgresPid } = contestant;
  const before = [await cpuOf(contestant.pid), await cpuOfFamily(postgresPid)] as const;
  const result = await autocannon({
    url: contestant.url,
    connections,
    duration: seconds,
    requests: contestant.requests,
    idReplacement: contestant.requests.some(({ body }) => body?.includes("[<id>]")),
  });
  const after = [await cpuOf(contestant.pid), await cpuOfFamily(postgresPid)] as const;
  const successes = result["2xx"];
  if (successes === 0 || result.non2xx > 0 || result.errors > 0)
    throw new Error(`${contestant.name}: ${successes} good answers, ${result.non2xx} others, ${result.errors} errors`);
  return {
    cpuPerRequest: (after[0] - before[0]) / successes,
    postgresCpuPerRequest: (after[1] - before[1]) / successes,
    requestsPerSecond: successes / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
