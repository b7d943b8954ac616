import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { Scope } from "@factory/schema/scopes";
import { aPrincipal } from "../../integration.fixture.js";
import type { EventTypeFilterInput } from "./event-type.input.js";
import { EventTypeService } from "./event-type.service.js";
import type { EventTypeType } from "./event-type.type.js";

const service = new EventTypeService(new CursorSeal(someMasterKeys(1).keyring("list cursors")));
const contextOf = (scopes?: readonly Scope[], platformAdmin = false) =>
  requestContext({
    principal: { ...aPrincipal(scopes ? { scopes } : {}), platformAdmin },
    trace: continueTrace(undefined),
  });

function all(context: ReturnType<typeof contextOf>, filter: EventTypeFilterInput = {}): EventTypeType[] {
  const items: EventTypeType[] = [];
  let after: string | null = null;
  do {
    const page = service.list(context, { first: 40, after, filter });
    items.push(...page.items);
    after = page.nextCursor;
  } while (after !== null);
  return items;
}

const names = (types: readonly EventTypeType[]) => types.map(({ type }) => type);

describe("the list of event types", () => {
  it("has each type once, with the path of its schema and an example of the type", () => {
    const listedTypes = all(contextOf());
    expect(new Set(names(listedTypes)).size).toBe(listedTypes.length);
    expect(names(listedTypes)).toEqual(
      expect.arrayContaining(["TemplateExecuted", "PullRequestOpened", "RoleAssigned"]),
    );
    for (const { type, description, example } of listedTypes)
      expect({ ...example, description }).toMatchObject({ type, description: expect.stringMatching(/\.$/) });
    expect(listedTypes.find(({ type }) => type === "PullRequestOpened")).toMatchObject({
      source: "integration",
      readScopes: ["webhooks.deliveries.read"],
      schemaUrl: "/schemas/events/VendorEventReceived",
      schemaVersion: "1.0",
    });
  });

  it("tells which types the token may read", () => {
    const context = contextOf(["templates.read", "tenant.read"]);
    const readable = names(all(context, { readable: true }));
    expect(readable).toContain("TemplateExecuted");
    expect(readable).not.toContain("LibraryRegistered");
    expect(readable).not.toContain("TenantSuspended");
    expect(names(all(context, { readable: false }))).toEqual(
      names(all(context)).filter((type) => !readable.includes(type)),
    );
    expect(names(all(contextOf(["tenant.read"], true), { readable: true }))).toContain("TenantSuspended");
  });

  it("is filtered by the subgraph", () => {
    const ofSpine = all(contextOf(), { source: "spine" });
    expect(new Set(ofSpine.map(({ source }) => source))).toEqual(new Set(["spine"]));
  });

  it("refuses the cursor of other filters", () => {
    const context = contextOf();
    const { nextCursor } = service.list(context, { first: 1 });
    expect(service.list(context, { first: 1, after: nextCursor }).items).toHaveLength(1);
    expect(() => service.list(context, { after: nextCursor, filter: { source: "spine" } })).toThrow(
      expect.objectContaining({ code: "INVALID_CURSOR" }),
    );
  });
});
