import { ReadPipeline } from "@factory/runtime/connections/read-pipeline";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { principal, RunningSpine } from "../../running-spine.fixture.js";

const count = 200;

let platform: RunningSpine;
let tenantId: string;
let roleId: string;
beforeAll(async () => {
  platform = await RunningSpine.shared();
  tenantId = await platform.activeTenant("linked");
  const owner = principal(tenantId, tenantScopes);
  const input = { code: "linked", name: "Linked", scopes: ["role.read"] };
  const created = await platform.ask(
    owner,
    "mutation ($input: CreateRoleInput!) { createRole(input: $input) { roleId } }",
    {
      input,
    },
  );
  roleId = created.data?.["createRole"].roleId;
  await platform.admin.query(
    `insert into users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
     select $1, gen_random_uuid(), n || '@linked.example', n || '@linked.example', 'Active', '', now(), now()
     from generate_series(1, ${count}) n`,
    [decodeId("ten", tenantId)],
  );
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform?.stop());

/** The answer to a query, and the names of the reads by a key that it made. */
async function readsOf(document: string, variables: Record<string, unknown>) {
  const query = jest.spyOn(ReadPipeline.prototype, "query");
  const answer = await platform.ask(principal(tenantId, tenantScopes), document, variables);
  const reads = query.mock.calls.filter(([{ values }]) => values[0] === decodeId("ten", tenantId));
  return { ...answer, reads: reads.map(([{ name }]) => name) };
}

async function everyUser(): Promise<string[]> {
  const query = "query { users(first: 200) { items { userId } } }";
  const { data } = await platform.ask(principal(tenantId, tenantScopes), query);
  return data?.["users"].items.map(({ userId }: { userId: string }) => userId);
}

describe("the objects that a list's items name", () => {
  it("are read by one statement for each type", async () => {
    const users = await everyUser();
    expect(users).toHaveLength(count);
    const owner = principal(tenantId, tenantScopes);
    const assign =
      "mutation ($role: ID!, $input: AssignRoleInput!) { assignRole(roleId: $role, input: $input) { assignmentId } }";
    for (const userId of users) await platform.ask(owner, assign, { role: roleId, input: { userId } });
    const { data, errors, reads } = await readsOf(
      "query ($role: ID!) { roleAssignments(roleId: $role, first: 200) { items { user { userId } role { code } userId } } }",
      { role: roleId },
    );
    expect(errors).toEqual([]);
    const items = data?.["roleAssignments"].items;
    expect(items).toHaveLength(count);
    for (const { user, userId, role } of items) expect([user.userId, role.code]).toEqual([userId, "linked"]);
    // the list's own role, then the role and the users of the items
    expect(reads.sort()).toEqual(["one_role", "one_role", "several_user_of_id"]);
  });

  it("are read by one statement where another subgraph's items name them", async () => {
    const users = await everyUser();
    const { data, reads } = await readsOf(
      "query ($users: [_Any!]!) { _entities(representations: $users) { ... on User { userId email tenant { slug } } } }",
      { users: users.map((userId) => ({ __typename: "User", userId })) },
    );
    expect(data?.["_entities"].map(({ userId }: { userId: string }) => userId)).toEqual(users);
    expect(reads.sort()).toEqual(["own_tenant", "several_user_of_id"]);
  });
});
