import type { Principal } from "@factory/runtime/auth/principal";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { startWith } from "../facade.fixture.js";
import type { Resolve } from "../requests/sample-graph.fixture.js";
import { rateLimits } from "./rate-limits.js";

const aPrincipal: Principal = {
  subject: "cli_1",
  clientId: "cli_1",
  tenantId: "ten_1",
  tenantSlug: "one",
  scopes: new Set(),
  principalType: "Service",
  platformAdmin: false,
  agentTaskId: undefined,
  roles: [],
  tokenId: "jti",
  expiresAt: 0,
};

const searchAnswer = { results: [], total: 0, nextCursor: null };
const resolvers = {
  library: ({ libraryId }: Record<string, unknown>) => ({
    libraryId,
    packageName: "a",
    capabilities: [],
    allVersions: [],
  }),
  searchLibraries: () => searchAnswer,
  requestExecution: () => ({ executionId: "exe_1", status: "Requested" }),
  provisionTenant: () => ({ tenantId: "ten_1", status: "Provisioning", runId: "run_1" }),
};

describe("rate limits", () => {
  it("count per class and tenant, and report the remaining requests", async () => {
    const facade = await startWith(resolvers, { rateLimits: rateLimits(0.001) });
    try {
      const first = await facade.call("GET /v1/libraries/lib_1");
      expect(first.headers.get("ratelimit-policy")).toBe('"read";q=3;w=60');
      expect(first.headers.get("ratelimit")).toBe('"read";r=2;t=60');
      expect((await facade.call("POST /v1/libraries/search", { body: {} })).headers.get("ratelimit")).toMatch(
        /^"read";r=1;/,
      );
      expect((await facade.call("GET /v1/libraries/lib_1")).headers.get("ratelimit")).toMatch(/^"read";r=0;/);
      const over = await facade.call("GET /v1/libraries/lib_1");
      expect([over.status, over.json["code"]]).toEqual([429, "RATE_LIMITED"]);
      expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(50);
      expect(over.headers.get("ratelimit")).toMatch(/^"read";r=0;t=\d+$/);
      const body = { templateVersionId: "tpv_1", target: { repository: "a/b" } };
      expect((await facade.call("POST /v1/templates/tpl_1/execute", { body })).headers.get("ratelimit")).toMatch(
        /^"execute";r=0;/,
      );
      expect((await facade.call("GET /v1/libraries/lib_1", { token: "admin" })).status).not.toBe(429);
    } finally {
      await facade.close();
    }
  });

  it.each([
    ["a document that does not parse", { raw: "{" }],
    ["introspection", { body: { query: "{ __schema { queryType { name } } }" } }],
  ])("count GraphQL requests without a token by address, before the body is read: %s", async (_, init) => {
    const facade = await startWith(resolvers, { rateLimits: rateLimits(0.1) });
    try {
      for (let remaining = 2; remaining >= 0; remaining -= 1) {
        const answer = await facade.call("POST /graphql", { token: undefined, ...init });
        expect(answer.headers.get("ratelimit")).toMatch(new RegExp(`^"anonymous";r=${remaining};`));
      }
      const over = await facade.call("POST /graphql", { token: undefined, ...init });
      expect([over.status, over.json["code"]]).toEqual([429, "RATE_LIMITED"]);
      expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await facade.call("POST /graphql", init)).status).not.toBe(429);
    } finally {
      await facade.close();
    }
  });

  it("count requests to anonymous endpoints by address, which only a trusted proxy may report", async () => {
    const body = { token: "t".repeat(43), password: "correct horse" };
    const acceptedFrom = async (trustedProxies: readonly string[]) => {
      const facade = await startWith(
        { acceptInvitation: () => ({}) },
        { rateLimits: rateLimits(0.01), trustedProxies },
      );
      try {
        const statuses: number[] = [];
        for (const address of ["198.51.100.1", "198.51.100.2", "198.51.100.2"]) {
          const headers = { "x-forwarded-for": address };
          const answer = await facade.call("POST /v1/users/invitations/accept", { token: undefined, body, headers });
          statuses.push(answer.status);
        }
        return statuses.map((status) => status === 429);
      } finally {
        await facade.close();
      }
    };
    expect(await acceptedFrom([])).toEqual([false, true, true]);
    expect(await acceptedFrom(["127.0.0.0/8"])).toEqual([false, false, true]);
  });

  it("are one fifth in the edition Free and ten times higher in Enterprise", async () => {
    const limits = rateLimits(0.01);
    const policies = ["Free", "Standard", "Enterprise", undefined, "Gold"].map(
      async (editionCode) => (await limits.spend("read", { ...aPrincipal, editionCode })).policy,
    );
    expect(await Promise.all(policies)).toEqual([6, 30, 300, 30, 30].map((quota) => `"read";q=${quota};w=60`));
    expect((await limits.spend("read", { ...aPrincipal, editionCode: "Free" })).remaining).toBe(0);
    expect((await limits.spend("read", { ...aPrincipal, editionCode: "Free" })).exceeded).toBe(true);
  });

  it("count the work of a request beside its first point, and refuse the next request", async () => {
    const heavy: Resolve = (_, context) => {
      (context as RequestContext).points += 4;
      return { libraryId: "lib_1", packageName: "a", capabilities: [], allVersions: [] };
    };
    const facade = await startWith({ library: heavy }, { rateLimits: rateLimits(0.002) });
    try {
      const first = await facade.call("GET /v1/libraries/lib_1");
      expect([first.status, first.headers.get("ratelimit")]).toEqual([200, '"read";r=1;t=60']);
      const beyond = await facade.call("GET /v1/libraries/lib_1");
      expect([beyond.status, beyond.headers.get("ratelimit")]).toEqual([200, expect.stringMatching(/^"read";r=0;/)]);
      const over = await facade.call("GET /v1/libraries/lib_1");
      expect([over.status, over.json["code"]]).toEqual([429, "RATE_LIMITED"]);
      expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(50);
    } finally {
      await facade.close();
    }
  });

  it.each([
    ["of 64 KiB", 64 * 1024, 200, 29],
    ["of a megabyte", 1024 * 1024, 200, 14],
    ["that is not JSON", 200_000, 400, 26],
  ])("count a point for each 64 KiB of a body %s", async (_, bytes, status, remaining) => {
    const facade = await startWith({ searchLibraries: () => searchAnswer }, { rateLimits: rateLimits(0.01) });
    try {
      const beginning = status === 200 ? '{"x":"' : "{";
      const end = status === 200 ? '"}' : "";
      const raw = beginning + "x".repeat(bytes - beginning.length - end.length) + end;
      const answer = await facade.call("POST /v1/libraries/search", { raw });
      expect([answer.status, answer.headers.get("ratelimit")]).toEqual([
        status,
        expect.stringMatching(new RegExp(`^"read";r=${remaining};`)),
      ]);
    } finally {
      await facade.close();
    }
  });

  it.each([
    ["20,000 members", Object.fromEntries(Array.from({ length: 19_999 }, (_, at) => [`k${at}`, 1])), 200, 20],
    ["2,000 members", Object.fromEntries(Array.from({ length: 1999 }, (_, at) => [`k${at}`, 1])), 200, 29],
    ["too many members", Object.fromEntries(Array.from({ length: 23_000 }, (_, at) => [`k${at}`, 1])), 413, 18],
  ])("count a point for each 2,000 members of a body with %s", async (_, x, status, remaining) => {
    const facade = await startWith({ searchLibraries: () => searchAnswer }, { rateLimits: rateLimits(0.01) });
    try {
      const answer = await facade.call("POST /v1/libraries/search", { body: { x } });
      expect([answer.status, answer.headers.get("ratelimit")]).toEqual([
        status,
        expect.stringMatching(new RegExp(`^"read";r=${remaining};`)),
      ]);
    } finally {
      await facade.close();
    }
  });

  it("do not apply to the internal listener", async () => {
    const facade = await startWith(resolvers, { rateLimits: rateLimits(0.0001) });
    try {
      for (let time = 0; time < 3; time++) {
        const answer = await facade.call("POST /tenants/ten_1/provision", { token: "admin", internal: true });
        expect([answer.status, answer.headers.get("ratelimit")]).toEqual([202, null]);
      }
    } finally {
      await facade.close();
    }
  });
});
