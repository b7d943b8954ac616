import { newId } from "../identifiers/wire-id.js";
import { CursorSeal } from "../pagination/cursor.js";
import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import { continueTrace } from "../telemetry/trace.js";
import { requestContext } from "../tenancy/request-context.js";
import type { JobPosition } from "./administration/job-operations.js";
import { jobConnection, type ListedJob } from "./job-list.js";

const cursors = new CursorSeal(someMasterKeys(1).keyring("list cursors"));
const tenantId = newId("ten");
const context = requestContext({
  principal: {
    ...{ subject: "svc", clientId: "cli", tenantId, tenantSlug: "a", scopes: new Set<never>(), roles: [] },
    ...{ principalType: "Service", platformAdmin: false, agentTaskId: undefined, tokenId: "jti", expiresAt: 0 },
  },
  trace: continueTrace(undefined),
});

const at = (time: string) => `2026-11-30 07:00:${time}+00`;
const before = ([time, id]: JobPosition, [otherTime, otherId]: JobPosition) =>
  time < otherTime || (time === otherTime && id < otherId);

/** Jobs in memory, which are listed as a subgraph lists them. */
function sourceOf(...positions: JobPosition[]) {
  const jobs = positions.map((position) => {
    const [time, jobId] = position;
    return { job: { jobId, createdAt: new Date(time).toISOString() }, position } as unknown as ListedJob;
  });
  return {
    after: async (_: unknown, position: JobPosition | null, limit: number) =>
      jobs.filter((job) => position === null || before(job.position, position)).slice(0, limit),
  };
}

async function pages(sources: ReturnType<typeof sourceOf>[], first: number): Promise<string[][]> {
  const found: string[][] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { items, nextCursor } = await jobConnection(cursors, sources, { context, first, after });
    found.push(items.map(({ jobId }) => jobId));
    after = nextCursor;
  }
  return found;
}

describe("a list over several sources", () => {
  const sources = [
    sourceOf([at("09.123456"), "a"], [at("09.12"), "b"], [at("09"), "c"]),
    sourceOf([at("09.1235"), "d"], [at("09.12"), "e"]),
    sourceOf(),
  ];

  it("has the newest job first, where PostgreSQL leaves out zeros, and the larger id first at one time", async () => {
    expect(await pages(sources, 10)).toEqual([["d", "a", "e", "b", "c"]]);
  });

  it.each([1, 2, 3])("has each job once in pages of %s", async (first) => {
    const found = await pages(sources, first);
    expect(found.flat()).toEqual(["d", "a", "e", "b", "c"]);
    expect(found.every((page) => page.length <= first)).toBe(true);
  });

  it("has the newest job first when the clocks of the database's time zone go back", async () => {
    const [summer, winter] = ["2026-10-25 02:30:00+02", "2026-10-25 02:10:00+01"];
    expect(await pages([sourceOf([summer, "a"]), sourceOf([winter, "b"])], 10)).toEqual([["b", "a"]]);
  });

  it("refuses another tenant's cursor", async () => {
    const { nextCursor: after } = await jobConnection(cursors, sources, { context, first: 1, after: null });
    const other = { ...context, principal: { ...context.principal, tenantId: newId("ten") } } as typeof context;
    await expect(jobConnection(cursors, sources, { context: other, first: 1, after })).rejects.toMatchObject({
      code: "INVALID_CURSOR",
    });
  });
});
