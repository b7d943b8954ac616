import type { Principal } from "@factory/runtime/auth/principal";
import { subscriberGroup } from "./subscriber-group.js";

const principal: Principal = {
  subject: "usr_1",
  clientId: "cli_1",
  tenantId: "ten_1",
  tenantSlug: "one",
  editionCode: "Standard",
  scopes: new Set(["templates.read", "libraries.read"]),
  principalType: "User",
  platformAdmin: false,
  agentTaskId: undefined,
  approvalId: undefined,
  roles: ["Developer", "Auditor"],
  tokenId: "jti_1",
  expiresAt: 1,
};

const keyOf = (changes: Partial<Principal>) => subscriberGroup({ ...principal, ...changes }).key;

describe("a group of subscribers", () => {
  it.each<[string, Partial<Principal>]>([
    ["tenant", { tenantId: "ten_2" }],
    ["scopes", { scopes: new Set(["templates.read"]) }],
    ["administrator of the platform", { platformAdmin: true }],
    ["kind of principal", { principalType: "Agent" }],
    ["agent's task", { agentTaskId: "task_1" }],
    ["approval", { approvalId: "apr_1" }],
    ["roles", { roles: ["Developer"] }],
  ])("is never shared across a different %s", (_, changes) => {
    expect(keyOf(changes)).not.toBe(keyOf({}));
  });

  it("is one for different people and tokens with the same rights, in whatever order they are written", () => {
    const other = { subject: "usr_2", clientId: "cli_2", tokenId: "jti_2", expiresAt: 2, grantId: "g", actors: ["a"] };
    const scopes = new Set(["libraries.read", "templates.read"]);
    expect(keyOf({ ...other, scopes, roles: ["Auditor", "Developer"] })).toBe(keyOf({}));
  });

  it("shows resolvers what is in the key, and fails where one reads more", () => {
    const { principal: common } = subscriberGroup(principal);
    expect([common.tenantId, common.scopes, common.platformAdmin]).toEqual(["ten_1", principal.scopes, false]);
    for (const member of ["subject", "clientId", "tokenId", "grantId", "actors", "expiresAt"] as const)
      expect(() => common[member]).toThrow(member);
  });
});
