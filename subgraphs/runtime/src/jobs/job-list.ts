import type { CursorSeal } from "../pagination/cursor.js";
import { type Connection, connectionOf, pageReach } from "../pagination/page.js";
import type { RequestContext } from "../tenancy/request-context.js";
import { tenantOf } from "../tenancy/tenant.js";
import type { JobPosition } from "./administration/job-operations.js";
import type { JobType } from "./job.type.js";

export interface ListedJob {
  readonly job: JobType;
  readonly position: JobPosition;
}

/** A subgraph's jobs. */
interface JobSource {
  after(context: RequestContext, position: JobPosition | null, limit: number): Promise<readonly ListedJob[]>;
}

interface JobPage {
  readonly context: RequestContext;
  readonly first: number | null | undefined;
  readonly after: string | null | undefined;
}

/** A page over the jobs of all sources, newest first. Each source reads one page, since all of it may be the newest. */
export async function jobConnection(
  cursors: CursorSeal,
  sources: readonly JobSource[],
  { context, first, after }: JobPage,
): Promise<Connection<JobType>> {
  const reach = pageReach({ first, after });
  const count = reach.size + 1;
  const scope = { list: "jobs", tenantId: tenantOf(context).tenantId };
  const position = after == null ? null : (cursors.open(scope, after) as unknown as JobPosition);
  const lists = await Promise.all(sources.map((source) => source.after(context, position, count)));
  const listedJobs = lists.flat().sort((a, b) => -order(a, b));
  const positions = new Map(listedJobs.map(({ job, position: of }) => [job.jobId, of]));
  const cursorOf = ({ jobId }: JobType) => cursors.seal(scope, [...(positions.get(jobId) ?? [])]);
  return connectionOf(
    listedJobs.slice(0, count).map(({ job }) => job),
    reach,
    cursorOf,
  );
}

/**
 * The order of creation. `createdAt` has milliseconds in UTC. Within one millisecond the positions, which PostgreSQL
 * prints in its own time zone, have one offset; it leaves out zeros at their end, which changes no order.
 */
const order = (a: ListedJob, b: ListedJob): number =>
  compareTexts(a.job.createdAt, b.job.createdAt) ||
  compareTexts(a.position[0], b.position[0]) ||
  compareTexts(a.position[1], b.position[1]);

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
