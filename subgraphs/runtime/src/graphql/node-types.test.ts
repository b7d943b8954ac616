import { DomainError } from "../errors/domain-error.js";
import { newId } from "../identifiers/wire-id.js";
import { continueTrace } from "../telemetry/trace.js";
import { type RequestContext, requestContext } from "../tenancy/request-context.js";
import type { EntityReference } from "./entity-reference.js";
import { NodeTypes } from "./node-types.js";

const context = requestContext({ principal: undefined, trace: continueTrace(undefined) });

const entity = (prefix: "run" | "tpl", resolve: EntityReference["resolve"], auth = {}): EntityReference => ({
  id: { prefix, field: "runId" },
  auth: { anonymous: true, ...auth },
  resolve,
});

const typesWith = (references: Record<string, EntityReference>) => {
  const types = new NodeTypes();
  types.add(references);
  return types;
};

const found = (types: NodeTypes, id: string, by: RequestContext = context) => types.find(id, by);

describe("the entities of a subgraph", () => {
  const id = newId("run");
  const missing = entity("run", async () => undefined);
  const run = entity("run", async ({ runId }) => ({ runId }));

  it("are found by the prefix of the id, also where several types have the same prefix", async () => {
    const types = typesWith({ Template: entity("tpl", async () => ({})), Missing: missing, Run: run });
    expect(await found(types, id)).toEqual({ type: "Run", field: "runId", object: { runId: id } });
  });

  it("are not found by a prefix that no type has, or by an id that is not well formed", async () => {
    const types = typesWith({ Run: run, WithoutId: { auth: {}, resolve: async () => ({}) } });
    for (const other of [newId("usr"), "run_1", "run", ""]) expect(await found(types, other)).toBeUndefined();
  });

  it("are not found by a caller who is refused", async () => {
    const refusal = new DomainError("NOT_FOUND", { detail: "It belongs to another tenant." });
    const throwing = entity("run", () => Promise.reject(refusal));
    const guarded: EntityReference = { ...run, auth: { scopes: ["templates.read"] } };
    for (const reference of [throwing, guarded]) expect(await found(typesWith({ Run: reference }), id)).toBeUndefined();
  });

  it("are not taken for missing in an outage, or in a fault of ours", async () => {
    const outage = new DomainError("UNAVAILABLE", { detail: "The database does not answer." });
    for (const error of [outage, new Error("a fault")])
      await expect(found(typesWith({ Run: entity("run", () => Promise.reject(error)) }), id)).rejects.toBe(error);
  });
});
