import { type Client, type ClientBase, escapeLiteral, type Pool } from "pg";
import { EnvironmentError } from "../environment/read-environment.js";
import { PeriodicLoop } from "../loops/periodic-loop.js";
import type { Logger } from "../telemetry/logger.js";
import { type ReleaseLevel, shutOut, thisRelease } from "./schema-level.js";

const beatMs = 5000;
/** A process that has not beaten for so long counts as dead. */
const lapsedSeconds = 30;

/** No process can beat while the server is away, so after its start each one counts as alive for that time. */
const isAlive = `(beat_at > now() - interval '${lapsedSeconds} s'
  or pg_postmaster_start_time() > now() - interval '${lapsedSeconds} s')`;

/** A process with the level of its release. */
interface RunningProcess {
  readonly processId: string;
  readonly level: number;
}

/** The identity of a process that registers itself. */
interface RegisteredProcess {
  readonly processId: string;
  /** The issuer of its tokens. */
  readonly publicUrl: string;
}

/** A process that starts. */
export interface StartedProcess extends RegisteredProcess {
  /** Processes that have certainly ended. */
  readonly former: readonly { readonly processId: string }[];
}

/** Registers the process, and forgets those that ended. */
export function* registration(started: StartedProcess, { level }: ReleaseLevel): Generator<string> {
  const { processId, publicUrl, former } = started;
  const ended = former.map((process) => `'${process.processId}'`).join(", ");
  if (ended !== "") yield `delete from releases.processes where process_id in (${ended})`;
  yield "delete from releases.processes where beat_at < now() - interval '1 day'";
  yield `insert into releases.processes (process_id, level, public_url)
    values ('${processId}', ${level}, ${escapeLiteral(publicUrl)})
    on conflict (process_id) do update
      set level = excluded.level, public_url = excluded.public_url, beat_at = now()`;
}

/**
 * Throws EnvironmentError when a living process has another address, because each process would refuse the tokens of
 * the other. Releases below level 134 do not tell theirs.
 */
export async function refuseOtherAddress(client: Client, { publicUrl, former }: StartedProcess): Promise<void> {
  const column = await client.query(
    "select from pg_attribute where attrelid = to_regclass('releases.processes') and attname = 'public_url'",
  );
  if (column.rowCount === 0) return;
  const { rows } = await client.query<{ otherUrl: string }>(
    `select public_url as "otherUrl" from releases.processes
     where ${isAlive} and public_url <> $1 and process_id <> all ($2::uuid[]) limit 1`,
    [publicUrl, former.map(({ processId }) => processId)],
  );
  const [other] = rows;
  if (other)
    throw new EnvironmentError(
      `PUBLIC_URL is ${publicUrl} here and ${other.otherUrl} in another process on this database, and all of them need the same one, ` +
        `because it is the issuer of their tokens. Set the same one, or stop the other process first (one that was killed counts as running for ${lapsedSeconds} s).`,
    );
}

/**
 * The living processes of releases below a level. Releases before the first level register nothing, but they hold a lease
 * on their jobs.
 */
export async function olderProcesses(client: Client, lowest: number, former: readonly string[]) {
  const { rows: schemas } = await client.query<{ name: string }>(
    `select relnamespace::regnamespace::text as name from pg_class where relname = 'job_processes' and relkind = 'r'`,
  );
  const registered = await client.query("select where to_regclass('releases.processes') is not null");
  const known = registered.rowCount === 0 ? undefined : "releases.processes";
  const leases = schemas.map(({ name }) => `select process_id, beat_at from ${name}.job_processes`);
  const unregistered = leases.map(
    (lease) => `select process_id, 0 as level from (${lease}) lease where ${isAlive}
      ${known ? `and process_id not in (select process_id from ${known})` : ""}`,
  );
  const parts = [...unregistered, ...(known ? [`select process_id, level from ${known} where ${isAlive}`] : [])];
  if (parts.length === 0) return [];
  const { rows } = await client.query<RunningProcess>(
    `select distinct process_id as "processId", level from (${parts.join(" union all ")}) running
     where level < $1 and process_id <> all ($2::uuid[]) order by level, process_id`,
    [lowest, former],
  );
  return rows;
}

/** The number of living processes that have registered. */
export async function runningProcesses(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from releases.processes where ${isAlive}`,
  );
  return rows[0]?.count ?? 0;
}

/** Keeps the registration of this process alive. */
export class Registration {
  /** Resolves with a sentence when the data have become too new for this process. */
  readonly shutOut: Promise<string>;
  readonly #pool: Pool;
  readonly #process: RegisteredProcess;
  readonly #release: ReleaseLevel;
  readonly #loop: PeriodicLoop;
  #tell: (reason: string) => void = () => undefined;

  constructor(pool: Pool, process: RegisteredProcess, logger: Logger, release = thisRelease) {
    this.#pool = pool;
    this.#process = process;
    this.#release = release;
    this.shutOut = new Promise((resolve) => {
      this.#tell = resolve;
    });
    this.#loop = new PeriodicLoop({
      name: "registration of the process",
      periodMs: beatMs,
      logger,
      failure: "the registration of this process was not renewed",
    });
    this.#loop.start(() => this.beat());
  }

  async beat(): Promise<void> {
    const { rows } = await this.#pool.query<{ lowestLevel: number }>(
      `insert into releases.processes (process_id, level, public_url) values ($1, $2, $3)
       on conflict (process_id) do update set beat_at = now()
       returning (select lowest_level from releases.data) as "lowestLevel"`,
      [this.#process.processId, this.#release.level, this.#process.publicUrl],
    );
    const lowestLevel = rows[0]?.lowestLevel ?? 0;
    if (lowestLevel > this.#release.level) this.#tell(shutOut(lowestLevel, this.#release));
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    await this.#pool
      .query("delete from releases.processes where process_id = $1", [this.#process.processId])
      .catch(() => undefined);
  }
}
