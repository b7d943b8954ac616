import { newId } from "@factory/runtime/identifiers/wire-id";
import { eventually } from "../kit/eventually.js";
import { aPerson } from "../kit/people.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aClientId, aRole } from "../kit/roles.js";
import { aPasswordClient, refreshed, signedIn } from "../kit/sign-ins.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;
let token: string;
let roleId: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  roleId = await aRole(token);
});

const assignments = () => `/v1/roles/${roleId}/assignments`;
const get = (path: string) => request<{ items: Record<string, unknown>[] }>(`GET ${path}`, { token });

describe("GET /v1/roles", () => {
  it("lists roles in pages, with filters and a link to the next page", async () => {
    const first = await get("/v1/roles?limit=2&isSystem=true");
    expect(first.status).toBe(200);
    expect(first.body.items.map(({ code }) => code)).toEqual(["TenantOwner", "TenantAdmin"]);
    expect(Object.keys(first.body.items[0] ?? {})).toEqual([
      "roleId",
      "code",
      "name",
      "description",
      "scopes",
      "isSystem",
      "createdAt",
    ]);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect((await get(next)).body.items.map(({ code }) => code)).toEqual(["Developer", "Publisher"]);
    expect((await get("/v1/roles?q=OWNER")).body.items).toHaveLength(1);
    expect(refusal(await get("/v1/roles?isSystem=perhaps"))).toBe("400 VALIDATION_FAILED");
    expect(refusal(await get("/v1/roles?limit=0"))).toBe("400 VALIDATION_FAILED");
  });
});

describe("GET /v1/roles/{roleId}", () => {
  const role = (id: string, as: string | undefined = token) => request(`GET /v1/roles/${id}`, { token: as });

  it("returns the role as the list shows it, with an ETag", async () => {
    const roleAnswer = await role(roleId, await tenant.tokenWith("role.read"));
    expect(roleAnswer.status).toBe(200);
    expect((await get("/v1/roles?limit=100")).body.items).toContainEqual(roleAnswer.body);
    const headers = { "if-none-match": roleAnswer.headers.get("etag") ?? "none" };
    expect((await request(`GET /v1/roles/${roleId}`, { token, headers })).status).toBe(304);
  });
});

describe("assignments of a role", () => {
  const assign = (body: unknown, headers: Record<string, string> = {}) =>
    request(`POST ${assignments()}`, { token, body, headers });

  it("return 201, and 200 with the same body for a repetition; DELETE returns 204", async () => {
    const principalId = await aClientId(token);
    const first = await assign({ principalId });
    expect([first.status, first.body]).toEqual([
      201,
      {
        assignmentId: expect.stringMatching(/^asg_/),
        roleId,
        roleCode: expect.any(String),
        userId: null,
        principalId,
        assignedAt: expect.any(String),
        assignedBy: expect.any(String),
        expiresAt: null,
      },
    ]);
    const again = await assign({ principalId });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await get(assignments())).body.items).toContainEqual(first.body);

    const at = `DELETE ${assignments()}/${String(first.body["assignmentId"])}`;
    const deletion = await request(at, { token, headers: { "content-type": "application/json" } });
    expect([deletion.status, deletion.text, deletion.headers.get("content-type")]).toEqual([204, "", null]);
    expect(refusal(await request(at, { token }))).toBe("404 NOT_FOUND");
    expect((await assign({ principalId })).status).toBe(201);
  });

  it("are deleted once for one Idempotency-Key", async () => {
    const { body } = await assign({ principalId: await aClientId(token) });
    const at = `DELETE ${assignments()}/${String(body["assignmentId"])}`;
    const headers = { "idempotency-key": "once" };
    expect((await request(at, { token, headers })).headers.get("idempotent-replayed")).toBeNull();
    const again = await request(at, { token, headers });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([204, "true"]);
  });

  it("are refused with an error for each value that is not valid", async () => {
    expect(refusal(await assign({}))).toBe("400 VALIDATION_FAILED");
    const unknown = await assign({ userId: newId("usr") });
    expect(refusal(unknown)).toBe("422 REFERENCE_NOT_FOUND");
    expect(unknown.body["errors"]).toMatchObject([{ pointer: "/userId", code: "UNKNOWN_VALUE" }]);
    const past = await assign({ principalId: await aClientId(token), expiresAt: "2020-01-01T00:00:00Z" });
    expect(past.body["errors"]).toMatchObject([{ pointer: "/expiresAt", code: "OUT_OF_RANGE" }]);
  });

  it("end when they expire", async () => {
    const principalId = await aClientId(token);
    const lasting = async (ms: number) => {
      const expiresAt = new Date(Date.now() + ms).toISOString();
      return { expiresAt, ...(await assign({ principalId, expiresAt })) };
    };
    const short = await lasting(3000);
    // a slow machine needs more time until the assignment arrives
    const { expiresAt, status, body } = short.status === 422 ? await lasting(60_000) : short;
    expect([status, body["expiresAt"]]).toEqual([201, expiresAt]);
    const isListed = async () => (await get(assignments())).text.includes(String(body["assignmentId"]));
    await eventually("it is no longer listed", async () => !(await isListed()));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it("are served at a path that names its methods", async () => {
    const answer = await request(`OPTIONS ${assignments()}/${newId("asg")}`, { token });
    expect([answer.status, answer.headers.get("allow")]).toEqual([204, "DELETE, OPTIONS"]);
  });
});

describe("roles of the platform", () => {
  it("cannot be changed through GraphQL", async () => {
    const { body } = await get("/v1/roles?q=Viewer");
    const viewer = String(body.items[0]?.["roleId"]);
    const answer = await graphql(`mutation { deleteRole(roleId: "${viewer}") { roleId } }`, { token });
    expect(answer.body.errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT", status: 409 });
  });
});

describe("a signed-in user", () => {
  const listUsers = (as: string) => request("GET /v1/users", { token: as });
  const scopesOf = (scope: string) => scope.split(" ");

  it("loses a role at once, and a refresh gives the remaining scopes", async () => {
    const client = await aPasswordClient(tenant.tenantId);
    const person = await aPerson(tenant, "Integrator");
    const extra = await aRole(token, ["user.read"]);
    const body = { userId: person.userId };
    const { body: extraAssignment } = await request(`POST /v1/roles/${extra}/assignments`, { token, body });
    const first = await signedIn(client, person);
    expect(scopesOf(first.scope)).toEqual(expect.arrayContaining(["user.read", "integration.runs.read"]));
    expect((await listUsers(first.access_token)).status).toBe(200);

    await request(`DELETE /v1/roles/${extra}/assignments/${String(extraAssignment["assignmentId"])}`, { token });
    await eventually("the token is refused", async () => (await listUsers(first.access_token)).status === 401);

    const second = await refreshed(client, first.refresh_token);
    expect(second.status).toBe(200);
    expect(scopesOf(second.scope)).toContain("integration.runs.read");
    expect(scopesOf(second.scope)).not.toContain("user.read");
    expect(refusal(await listUsers(second.access_token))).toBe("403 INSUFFICIENT_SCOPE");
  });

  it("can use a token that was refreshed at the moment at which the role was removed", async () => {
    const client = await aPasswordClient(tenant.tenantId);
    const person = await aPerson(tenant, "Viewer");
    let refreshToken = (await signedIn(client, person)).refresh_token;
    for (let round = 0; round < 5; round += 1) {
      const extra = await aRole(token, ["config.manage"]);
      await request(`POST /v1/roles/${extra}/assignments`, { token, body: { userId: person.userId } });
      await graphql(`mutation { deleteRole(roleId: "${extra}") { roleId } }`, { token });
      const fresh = await refreshed(client, refreshToken);
      refreshToken = fresh.refresh_token;
      expect([round, fresh.status, (await listUsers(fresh.access_token)).status]).toEqual([round, 200, 200]);
    }
  });

  it("loses a role when it expires, also for tokens that were issued before", async () => {
    const client = await aPasswordClient(tenant.tenantId);
    const usedBefore = async (lastsMs: number) => {
      const person = await aPerson(tenant, "Integrator");
      const extra = await aRole(token, ["user.read"]);
      const expiresAt = new Date(Date.now() + lastsMs).toISOString();
      await request(`POST /v1/roles/${extra}/assignments`, { token, body: { userId: person.userId, expiresAt } });
      const { access_token: oldToken } = await signedIn(client, person);
      return (await listUsers(oldToken)).status === 200 ? oldToken : undefined;
    };
    // a slow machine needs more time to use the token before it expires
    const usedToken = (await usedBefore(1500)) ?? (await usedBefore(20_000)) ?? "";
    expect(usedToken).not.toBe("");
    await eventually("the token is refused", async () => (await listUsers(usedToken)).status === 401);
  });
});
