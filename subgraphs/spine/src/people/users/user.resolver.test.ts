import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { type Json, principal, RunningSpine } from "../../running-spine.fixture.js";

let platform: RunningSpine;
let tenantId: string;
let owner: ReturnType<typeof principal>;

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("people");
  owner = principal(tenantId, tenantScopes);
});
afterAll(() => platform?.stop());

interface Person {
  email: string;
  displayName?: string;
  status?: string;
  roles?: string[];
}

/** By id in registration order. */
async function people(of: string, persons: readonly Person[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { email, displayName = null, status = "Active", roles = [] } of persons) {
    const userId = newId("usr");
    ids.push(userId);
    await platform.admin.query(
      `insert into users (tenant_id, user_id, email, email_key, display_name, status, password_hash, created_at, updated_at)
       values ($1, $2, $3, lower($3), $4, $5, 'none', now(), now())`,
      [decodeId("ten", of), decodeId("usr", userId), email, displayName, status],
    );
    await platform.admin.query(
      `insert into role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
       select $1, gen_random_uuid(), role_id, $2, 'test', now() from roles where tenant_id = $1 and code = any($3)`,
      [decodeId("ten", of), userId, roles],
    );
  }
  return ids;
}

const list = `query ($first: Int, $after: String, $filter: UserFilterInput, $sort: String) {
  users(first: $first, after: $after, sort: $sort, filter: $filter) { items { userId email displayName status roleCodes } nextCursor } }`;
const oneUser = "query ($id: ID!) { user(userId: $id) { userId email status roleCodes lastLoginAt } }";
const move = (name: string) =>
  `mutation ($id: ID!) { ${name}(userId: $id) { userId email displayName status roleCodes } }`;

/** Every page with two users, one after the other. */
async function found(of: string, filter: Record<string, unknown> = {}, sort?: string): Promise<string[]> {
  const listedIds: string[] = [];
  let after: string | null = null;
  do {
    const variables = { first: 2, after, filter, sort };
    const { data, errors }: Json = await platform.ask(principal(of, ["user.read"]), list, variables);
    if (!data) throw new Error(JSON.stringify(errors));
    listedIds.push(...data.users.items.map(({ userId }: { userId: string }) => userId));
    after = data.users.nextCursor;
  } while (after !== null);
  return listedIds;
}

describe("Query.users", () => {
  let of: string;
  let ids: string[];
  const listedPeople: Person[] = [
    { email: "ada@x.example", displayName: "Ada King", roles: ["Viewer"] },
    { email: "Bob@x.example", displayName: "adam", roles: ["Developer", "Viewer"] },
    { email: "cy@x.example", status: "Disabled", roles: ["Viewer"] },
    { email: "ada2@x.example", displayName: "Émile", roles: ["Developer"] },
    { email: "gone@deleted.invalid", status: "Deleted" },
    { email: "100%_x@x.example", displayName: "100%" },
  ];
  beforeAll(async () => {
    of = await platform.activeTenant("listed");
    ids = await people(of, listedPeople);
  });
  const idsAt = (...places: number[]) => places.map((place) => ids[place]);

  it.each<[Record<string, unknown>, number[]]>([
    [{}, [0, 1, 2, 3, 5]],
    [{ status: "Active" }, [0, 1, 3, 5]],
    [{ status: "Disabled" }, [2]],
    [{ status: "Deleted" }, [4]],
    [{ email: "BOB@X.example" }, [1]],
    [{ email: "bob@x.exampl" }, []],
    [{ email: "gone@deleted.invalid" }, []],
    [{ status: "Deleted", email: "gone@deleted.invalid" }, []],
    [{ status: "Disabled", email: "bob@x.example" }, []],
    [{ roleCode: "viewer" }, [0, 1, 2]],
    [{ roleCode: "Developer" }, [1, 3]],
    [{ roleCode: "Nobody" }, []],
    [{ roleCode: "Viewer", status: "Active" }, [0, 1]],
    [{ roleCode: "Viewer", status: "Disabled" }, [2]],
    [{ roleCode: "Developer", status: "Disabled" }, []],
    [{ q: "ADA" }, [0, 1, 3]],
    [{ q: "ada@" }, [0]],
    [{ q: "king" }, []],
    [{ q: "100%" }, [5]],
    [{ q: "100%_y" }, []],
    [{ q: "%" }, []],
    [{ q: "" }, [0, 1, 2, 3, 5]],
    [{ q: "ada", roleCode: "Developer" }, [1, 3]],
    [{ q: "ada", roleCode: "Viewer", status: "Active" }, [0, 1]],
    [{ q: "cy", status: "Disabled" }, [2]],
    [{ q: "cy", status: "Active" }, []],
    [{ email: "ada@x.example", roleCode: "Viewer", q: "ada" }, [0]],
    [{ email: "ada@x.example", roleCode: "Developer" }, []],
    [{ email: "ada@x.example", q: "bob" }, []],
  ])("finds by %j", async (filter, places) => {
    expect(await found(of, filter)).toEqual(idsAt(...places));
    expect(await found(of, filter, "-createdAt")).toEqual(idsAt(...places.toReversed()));
  });

  it("shows the role codes in order, without expired assignments", async () => {
    await platform.admin.query(
      "update role_assignments set expires_at = now() where principal_id = $1 and role_id in (select role_id from roles where code = 'Viewer')",
      [ids[1]],
    );
    const { data } = await platform.ask(principal(of, ["user.read"]), oneUser, { id: ids[1] });
    expect(data?.["user"].roleCodes).toEqual(["Developer"]);
    expect(await found(of, { roleCode: "Viewer" })).toEqual(idsAt(0, 2));
  });

  it("reads the users in order when a prefix or a role is common", async () => {
    const crowd = await platform.activeTenant("crowd");
    const tenant = decodeId("ten", crowd);
    await platform.admin.query(
      `insert into users (tenant_id, user_id, email, email_key, display_name, status, password_hash, created_at, updated_at)
       select $1, ('018bcfe568007000800' || lpad(to_hex(n), 13, '0'))::uuid, 'same' || n, 'same' || n, null,
         case when n % 2 = 0 then 'Disabled' else 'Active' end, 'none', now(), now() from generate_series(1, 2400) n`,
      [tenant],
    );
    const { rows } = await platform.admin.query("select user_id from users where tenant_id = $1 order by user_id", [
      tenant,
    ]);
    const everybody = rows.map(({ user_id }) => encodeId("usr", user_id));
    await platform.admin.query(
      `insert into role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
       select $1, gen_random_uuid(), (select role_id from roles where tenant_id = $1 and code = 'Viewer'), id, 'test', now()
       from unnest($2::text[]) id`,
      [tenant, everybody.filter((_, at) => at % 3 === 0)],
    );
    const pages = async (filter: Record<string, unknown>, sort?: string) => {
      const listedIds: string[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const variables = { first: 200, after, filter, sort };
        const { data }: Json = await platform.ask(principal(crowd, ["user.read"]), list, variables);
        listedIds.push(...data.users.items.map(({ userId }: { userId: string }) => userId));
        after = data.users.nextCursor;
      }
      return listedIds;
    };
    const isDisabled = (_: string, at: number) => (at + 1) % 2 === 0;
    const viewer = (id: string) => everybody.indexOf(id) % 3 === 0;
    expect(await pages({ q: "same" })).toEqual(everybody);
    expect(await pages({ q: "same", status: "Disabled" })).toEqual(everybody.filter(isDisabled));
    expect(await pages({ q: "same", roleCode: "Viewer" })).toEqual(everybody.filter(viewer));
    const both = { roleCode: "Viewer", status: "Disabled" };
    expect(await pages(both)).toEqual(everybody.filter(isDisabled).filter(viewer));
    expect(await pages(both, "-createdAt")).toEqual(everybody.filter(isDisabled).filter(viewer).toReversed());
    expect(await pages({ q: "same" }, "-createdAt")).toEqual(everybody.toReversed());
    expect(await pages({ q: "same", roleCode: "Viewer" }, "-createdAt")).toEqual(everybody.filter(viewer).toReversed());
  });
});

describe("User as a federated entity", () => {
  it("is visible only to callers of its tenant with user.read", async () => {
    const [userId] = await people(tenantId, [{ email: "entity@x.example", roles: ["Viewer"] }]);
    const ask = (by: ReturnType<typeof principal>, id = userId) =>
      platform.ask(
        by,
        "query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { userId email roleCodes } } }",
        { of: [{ __typename: "User", userId: id }] },
      );
    const entity = { userId, email: "entity@x.example", roleCodes: ["Viewer"] };
    expect((await ask(principal(tenantId, ["user.read"]))).data?.["_entities"]).toEqual([entity]);
    expect((await ask(principal(newId("ten"), ["user.read"]))).data?.["_entities"]).toEqual([null]);
    expect((await ask(principal(tenantId, ["user.read"]), "rubbish")).data?.["_entities"]).toEqual([null]);
    expect((await ask(principal(tenantId, ["role.read"]))).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
  });
});

describe("a change of a user's state", () => {
  it("revokes the user's tokens and records an event", async () => {
    const [id = ""] = await people(tenantId, [{ email: "moved@x.example", roles: ["Viewer"] }]);
    expect((await platform.ask(owner, move("disableUser"), { id })).data?.["disableUser"]).toMatchObject({
      userId: id,
      status: "Disabled",
      roleCodes: ["Viewer"],
    });
    const { rows } = await platform.admin.query("select kind from revocations where subject = $1", [id]);
    expect(rows).toEqual([{ kind: "Principal" }]);
    const again = await platform.ask(owner, move("disableUser"), { id });
    expect(again.refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Disabled", allowed: ["Active"] });
    expect((await platform.ask(owner, move("enableUser"), { id })).data?.["enableUser"].status).toBe("Active");
    const userEvents = (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `users/${id}`);
    expect(userEvents.map(({ type, data }) => [type, data["status"]])).toEqual([
      ["UserDisabled", "Disabled"],
      ["UserEnabled", "Active"],
    ]);
  });

  it("keeps one owner in the tenant when owners leave at the same time", async () => {
    const ownedTenant = await platform.activeTenant("owned");
    const [first = "", second = ""] = await people(ownedTenant, [
      { email: "one@x.example", roles: ["TenantOwner"] },
      { email: "two@x.example", roles: ["TenantOwner"] },
    ]);
    const by = principal(ownedTenant, tenantScopes);
    const answers = await Promise.all([
      platform.ask(by, move("disableUser"), { id: first }),
      platform.ask(by, move("deleteUser"), { id: second }),
    ]);
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
    expect(answers.find(({ refusal }) => refusal)?.refusal).toMatchObject({ code: "CONFLICT", status: 409 });
  });

  it("is refused for the caller itself, and for callers who lack scopes of the user", async () => {
    const [id = ""] = await people(tenantId, [{ email: "self@x.example", roles: ["Developer"] }]);
    const self = { ...owner, subject: id };
    for (const name of ["disableUser", "deleteUser"])
      expect((await platform.ask(self, move(name), { id })).refusal).toMatchObject({ code: "CONFLICT" });
    const lesser = principal(tenantId, ["user.invite", "user.read"]);
    for (const name of ["disableUser", "deleteUser"])
      expect((await platform.ask(lesser, move(name), { id })).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
  });

  it("erases the personal data of a deleted user", async () => {
    const [id = ""] = await people(tenantId, [{ email: "gone@x.example", displayName: "Gone", roles: ["Viewer"] }]);
    const { data } = await platform.ask(owner, move("deleteUser"), { id });
    expect(data?.["deleteUser"]).toEqual({
      userId: id,
      email: `${id}@deleted.invalid`,
      displayName: null,
      status: "Deleted",
      roleCodes: [],
    });
    const { rows } = await platform.admin.query(
      "select to_jsonb(u)::text as row from users u where user_id = $1 union all select envelope::text from outbox",
      [decodeId("usr", id)],
    );
    expect(JSON.stringify(rows)).not.toContain("gone@x.example");
    const assignments = await platform.admin.query("select from role_assignments where principal_id = $1", [id]);
    expect(assignments.rows).toEqual([]);
    const principalEvents = (await platform.eventsOf(tenantId)).filter(
      ({ data: facts }) => facts["principalId"] === id,
    );
    expect(principalEvents.map(({ type }) => type)).toEqual(["RoleUnassigned"]);
    expect((await platform.ask(owner, move("enableUser"), { id })).refusal).toMatchObject({ code: "INVALID_STATE" });
  });

  it("records one event for a role that is unassigned at the same time", async () => {
    const [id = ""] = await people(tenantId, [{ email: "raced@x.example", roles: ["Viewer"] }]);
    const other = await platform.admin.connect();
    try {
      await other.query("begin");
      await other.query("delete from role_assignments where principal_id = $1", [id]);
      const deletion = platform.ask(owner, move("deleteUser"), { id });
      for (let look = 0; look < 6000; look += 1) {
        const { rows } = await platform.admin.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        if (rows.length > 0) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await other.query("commit");
      expect((await deletion).data?.["deleteUser"].status).toBe("Deleted");
    } finally {
      other.release();
    }
    const principalEvents = (await platform.eventsOf(tenantId)).filter(({ data }) => data["principalId"] === id);
    expect(principalEvents).toEqual([]);
  });
});
