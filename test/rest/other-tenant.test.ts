import { endpointOf, pathParameters } from "@factory/rest-facade/routes/route";
import { getNamedType, isInputObjectType, isNonNullType } from "graphql";
import { aSignedInPerson } from "../kit/own-sessions.js";
import { request } from "../kit/request.js";
import { committedGraph, parameterKind, servedRoutes } from "../kit/routes.js";
import {
  goodInput,
  isObjectKind,
  malformedIds,
  normalized,
  type ObjectKind,
  type TenantObjects,
  tenantObjects,
  unknownIds,
} from "../kit/tenant-objects.js";
import { aTenant } from "../kit/tenants.js";

const graph = committedGraph();
const rows = servedRoutes
  .filter(({ at, platformAdmin }) => at.includes("{") && !platformAdmin)
  .map((route) => ({
    ...{ at: route.at as string, run: route.run, forPeople: route.forPeople },
    names: pathParameters(endpointOf(route.at).path),
  }));

/** A PUT creates what does not exist, so these ask to change what exists. */
const mustExist = { "if-match": "*" };
const missing = (at: string) => (at.startsWith("PUT ") ? 412 : 404);

/** Headers whose values differ in each answer, or with an id's length. */
const volatile = new Set(["date", "traceparent", "x-trace-id", "ratelimit", "content-length"]);

let theirs: TenantObjects;
let ours: TenantObjects;
let token: string;
let personToken: string;
let theirToken: string;
let before: Record<string, string>;

beforeAll(async () => {
  const [other, ownTenant] = [await aTenant(), await aTenant()];
  token = await ownTenant.tokenWith();
  [theirs, ours] = [await tenantObjects(other), await tenantObjects(ownTenant)];
  personToken = (await aSignedInPerson(ownTenant)).token;
  theirToken = await other.tokenWith();
  before = await shownToOwner();
});

const addressOf = (at: string, ids: Readonly<Record<string, string>>) =>
  at.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[parameterKind(at, name)] ?? "");

/** The answers that the other tenant gets about its objects. Statistics are left out, since they end now. */
async function shownToOwner(): Promise<Record<string, string>> {
  const reads = rows.filter(({ at, forPeople }) => at.startsWith("GET ") && !at.endsWith("/statistics") && !forPeople);
  const entries = reads.map(async ({ at }) => {
    const { status, text } = await request(addressOf(at, theirs), { token: theirToken });
    return [at, `${status} ${normalized(text, [])}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function bodyOf(run: string): { body?: Record<string, unknown> } {
  const type = graph
    .getMutationType()
    ?.getFields()
    [run]?.args.find(({ name }) => name === "input")?.type;
  const input = type && getNamedType(type);
  if (!isInputObjectType(input)) return {};
  return {
    body: goodInput(
      input.name,
      Object.values(input.getFields()).some((field) => isNonNullType(field.type)),
    ),
  };
}

describe.each(rows)("$at", ({ at, run, names, forPeople }) => {
  const kinds = names.map((name) => parameterKind(at, name)).filter(isObjectKind);

  const ask = async (ids: Readonly<Record<string, string>>) => {
    const { status, headers, text } = await request(addressOf(at, ids), {
      token: forPeople ? personToken : token,
      ...bodyOf(run),
      ...(at.startsWith("PUT ") && { headers: mustExist }),
    });
    const visibleHeaders = [...headers].filter(([name]) => !volatile.has(name)).map((header) => header.join(": "));
    return { status, headers: visibleHeaders, text: normalized(text, Object.values(ids)) };
  };

  it("has only path parameters of kinds that this test can create", () => {
    expect(kinds).toHaveLength(names.length);
  });

  it("returns the same bytes for an object of another tenant and for one that does not exist", async () => {
    const unknownAnswer = await ask(unknownIds);
    expect(await ask(theirs)).toEqual(unknownAnswer);
    expect(unknownAnswer.status).toBe(missing(at));
  });

  it("returns them also for what is no id of its kind", async () => {
    const unknownAnswer = await ask(unknownIds);
    for (const id of malformedIds)
      expect(await ask(Object.fromEntries(kinds.map((kind) => [kind, id])))).toEqual(unknownAnswer);
  });

  if (names.length > 1)
    it("does so for each single id, when the other ids belong to the caller", async () => {
      for (const kind of kinds as ObjectKind[]) {
        const unknownAnswer = await ask({ ...ours, [kind]: unknownIds[kind] });
        expect([kind, await ask({ ...ours, [kind]: theirs[kind] })]).toEqual([kind, unknownAnswer]);
        expect(unknownAnswer.status).toBe(404);
      }
    });
});

describe("the objects of the other tenant", () => {
  it("are as they were before all these requests", async () => {
    // the delivery's payload is not sealed, so it is found and not shown
    expect(Object.values(before).filter((answer) => !/^(200|500) /.test(answer))).toEqual([]);
    expect(await shownToOwner()).toEqual(before);
  });
});
