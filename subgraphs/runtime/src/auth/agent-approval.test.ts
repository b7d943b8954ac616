import { authorize } from "../graphql/guard.js";
import { newId } from "../identifiers/wire-id.js";
import { createCommand } from "../messages/command.js";
import { createEvent } from "../messages/envelope.js";
import { continueTrace } from "../telemetry/trace.js";
import { requestContext } from "../tenancy/request-context.js";
import type { Principal } from "./principal.js";

const agent = (changes: Partial<Principal> = {}): Principal => ({
  subject: "usr_1",
  clientId: "cli_agent",
  tenantId: newId("ten"),
  tenantSlug: undefined,
  scopes: new Set(["templates.read", "templates.publish", "libraries.publish"]),
  principalType: "Agent",
  platformAdmin: false,
  agentTaskId: "task-1",
  actors: ["cli_agent"],
  roles: [],
  tokenId: "jti",
  expiresAt: 0,
  ...changes,
});

const trace = continueTrace(undefined);
const contextOf = (principal: Principal) => requestContext({ principal, trace });
const causeOf = (principal: Principal) => ({
  trace,
  actorId: principal.subject,
  actorScopes: principal.scopes,
  principal,
});
const publish = (principal: Principal) =>
  createCommand(
    { type: "PublishLibraryVersion", subject: "library-versions/lbv", data: {} },
    "spine",
    newId("ten"),
    causeOf(principal),
  );
const approvalRequired = expect.objectContaining({ code: "APPROVAL_REQUIRED" });

describe("a token of an agent that holds a publishing scope", () => {
  it("publishes only with an approval", () => {
    const rule = { scopes: ["templates.publish"] } as const;
    expect(() => authorize(rule, contextOf(agent()))).toThrow(approvalRequired);
    expect(() => authorize(rule, contextOf(agent({ approvalId: "apr_1" })))).not.toThrow();
    expect(() => authorize(rule, contextOf(agent({ principalType: "User" })))).not.toThrow();
  });

  it("publishes without an approval where the token says that the tenant requires none", () => {
    const rule = { scopes: ["templates.publish"] } as const;
    expect(() => authorize(rule, contextOf(agent({ publishApproval: "NotRequired" })))).not.toThrow();
  });

  it("may use its other scopes", () => {
    const context = contextOf(agent());
    expect(() => authorize({ scopes: ["templates.publish", "templates.read"] }, context)).not.toThrow();
    expect(() => authorize({ scopes: ["templates.publish", "templates.write"] }, context)).toThrow(approvalRequired);
  });

  it("sends publishing commands only with an approval", () => {
    expect(() => publish(agent())).toThrow(approvalRequired);
    expect(publish(agent({ approvalId: "apr_1" }))).toMatchObject({ actorid: "usr_1", agentid: "cli_agent" });
  });
});

test("a scope that is withheld until an approval is refused with that reason", () => {
  const user = agent({ principalType: "User", scopes: new Set(), withheldScopes: ["templates.publish"] });
  expect(() => authorize({ scopes: ["templates.publish"] }, contextOf(user))).toThrow(approvalRequired);
  expect(() => authorize({ scopes: ["libraries.publish"] }, contextOf(user))).toThrow(
    expect.objectContaining({ code: "INSUFFICIENT_SCOPE" }),
  );
});

test("events name the agent and the subject for which it acted", () => {
  const event = { type: "TemplateRegistered", subject: "templates/tpl", data: {} } as const;
  const tenantId = newId("ten");
  const chain = agent({ actors: ["cli_second", "cli_first"] });
  expect(createEvent(event, tenantId, causeOf(chain))).toMatchObject({ actorid: "usr_1", agentid: "cli_second" });
  expect(createEvent(event, tenantId, causeOf(agent({ actors: [] })))).not.toHaveProperty("agentid");
});
