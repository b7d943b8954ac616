import { newId } from "@factory/runtime/identifiers/wire-id";
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
  valueFromASTUntyped,
} from "graphql";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { aSignedInPerson } from "../kit/own-sessions.js";
import { committedGraph } from "../kit/routes.js";
import {
  asked,
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

type Field = GraphQLField<unknown, unknown>;

const graph = committedGraph();
const roots = { query: graph.getQueryType(), mutation: graph.getMutationType() } as const;

const ruleOf = ({ astNode }: Field) => astNode?.directives?.find(({ name }) => name.value === "auth")?.arguments ?? [];

const isPlatforms = (field: Field) =>
  ruleOf(field).some(({ name, value }) => name.value === "platformAdmin" && valueFromASTUntyped(value) === true);

/** A field without a scope is about the person who calls it. */
const isForPeople = (field: Field) => ruleOf(field).length === 0;

const idsOf = ({ args }: Field) => args.filter(({ type }) => String(type) === "ID!").map(({ name }) => name);

function inputTypeOf({ args }: Field): GraphQLInputObjectType | undefined {
  const type = args.find(({ name }) => name === "input")?.type;
  const namedType = type && getNamedType(type);
  return isInputObjectType(namedType) ? namedType : undefined;
}

/** The object ids that a field's input names. */
const inputIdsOf = (field: Field) =>
  Object.values(inputTypeOf(field)?.getFields() ?? {})
    .filter(({ type }) => String(getNamedType(type)) === "ID")
    .map(({ name }) => name);

/** These create what does not exist. `test/rest/other-tenant.test.ts` calls them with the precondition that it exists. */
const creating = new Set(["setFeatureFlag", "setConfigEntry", "setConfiguration", "setNotificationTemplate"]);

/** This test's run is not a model call, so its owner sees null. Others see that it does not exist. */
const withoutContent = new Set(["modelContent", "connectionTools"]);

/**
 * Their suites name another tenant's object: one reads a package before its input's library, and the other takes one id
 * out of two.
 */
const others = new Set(["importLibraryPackage", "assignRole"]);

/** No object in this test is in the log for failed jobs or in the audit log. These logs have their own suites. */
const logs = new Set(["jobs", "catalogJobs", "integrationJobs", "spineJobs", "auditRecords"]);

/**
 * The fields that a tenant's token may call. Fields for platform administrators act across tenants and are tested
 * elsewhere.
 */
const all = Object.entries(roots).flatMap(([operation, type]) =>
  Object.values(type?.getFields() ?? {})
    .filter((field) => !isPlatforms(field))
    .map((field) => ({ name: field.name, field, operation })),
);
/** `test/graphql/nodes.test.ts` asks `node` for each kind of id. */
const fields = all.filter(({ name, field }) => idsOf(field).length > 0 && !creating.has(name) && name !== "node");
const withIdsInInput = all.filter(
  ({ name, field }) => inputIdsOf(field).some(isObjectKind) && idsOf(field).every(isObjectKind) && !others.has(name),
);
const withTenantInInput = all.filter(({ field }) => inputTypeOf(field)?.getFields()["tenantId"] !== undefined);

/** The lists with a tenant's objects, and the members by which its objects are known. */
const lists = all.flatMap(({ name, field, operation }) => {
  const page = getNamedType(field.type);
  const items = isObjectType(page) ? page.getFields()["items"]?.type : undefined;
  const item = items && getNamedType(items);
  const isOpen = operation === "query" && field.args.every(({ type }) => !isNonNullType(type));
  if (!isOpen || !isObjectType(item) || isForPeople(field) || logs.has(name)) return [];
  const members = Object.keys(item.getFields()).filter(isObjectKind);
  return members.length > 0 ? [{ name, members }] : [];
});

let theirs: TenantObjects;
let ours: TenantObjects;
let token: string;
let personToken: string;
let theirToken: string;

beforeAll(async () => {
  const [other, ownTenant] = [await aTenant(), await aTenant()];
  [theirToken, token] = [await other.tokenWith(), await ownTenant.tokenWith()];
  [theirs, ours] = [await tenantObjects(other), await tenantObjects(ownTenant)];
  personToken = (await aSignedInPerson(ownTenant)).token;
});

function documentOf({ field, operation }: (typeof fields)[number]): string {
  const requiredArguments = field.args.filter(({ type }) => isNonNullType(type));
  const variables = requiredArguments.map(({ name, type }) => `$${name}: ${String(type)}`).join(", ");
  const argumentTexts = requiredArguments.map(({ name }) => `${name}: $${name}`).join(", ");
  const answer = getNamedType(field.type);
  const items = isObjectType(answer) ? answer.getFields()["items"]?.type : undefined;
  const isList = items && !isLeafType(getNamedType(items));
  const selection = isLeafType(answer) ? "" : isList ? "{ items { __typename } }" : "{ __typename }";
  return `${operation} (${variables}) { ${field.name}(${argumentTexts}) ${selection} }`;
}

function inputOf(field: Field): Record<string, unknown> {
  const isGiven = field.args.some(({ name, type }) => name === "input" && isNonNullType(type));
  const type = inputTypeOf(field);
  if (!isGiven || type === undefined) return {};
  const hasRequired = Object.values(type.getFields()).some((field) => isNonNullType(field.type));
  return { input: goodInput(type.name, hasRequired) };
}

/** Values for the required arguments that are no ids. */
function othersOf(field: Field): Record<string, unknown> {
  const numbers = field.args.filter(({ type }) => String(type) === "Int!").map(({ name }) => [name, 1] as const);
  return { ...inputOf(field), ...Object.fromEntries(numbers) };
}

const pick = (from: Readonly<Record<ObjectKind, string>>, kinds: readonly ObjectKind[]) =>
  Object.fromEntries(kinds.map((kind) => [kind, from[kind]]));

describe.each(fields)("$name", (row) => {
  const kinds = idsOf(row.field).filter(isObjectKind);
  const document = documentOf(row);
  const ask = (ids: Record<string, string>) =>
    asked(document, { ...ids, ...othersOf(row.field) }, isForPeople(row.field) ? personToken : token);

  it("has only ids of kinds that this test can create", () => {
    expect(kinds).toEqual(idsOf(row.field));
  });

  it("answers for an object of another tenant as for one that does not exist", async () => {
    const unknownAnswer = await ask(pick(unknownIds, kinds));
    expect(await ask(pick(theirs, kinds))).toBe(unknownAnswer);
    expect(unknownAnswer).toMatch(/"code":"\w*NOT_FOUND"|"items":\[\]|:null\}\}$/m);
  });

  it("answers so for what is no id of its kind, too", async () => {
    const unknownAnswer = await ask(pick(unknownIds, kinds));
    for (const id of malformedIds)
      expect(await ask(Object.fromEntries(kinds.map((kind) => [kind, id])))).toBe(unknownAnswer);
  });

  if (kinds.length > 1)
    it("does so for each single id, when the other ids belong to the caller", async () => {
      for (const kind of kinds) {
        const beside = pick(ours, kinds);
        const unknownAnswer = await ask({ ...beside, [kind]: unknownIds[kind] });
        expect([kind, await ask({ ...beside, [kind]: theirs[kind] })]).toEqual([kind, unknownAnswer]);
      }
    });

  if (row.operation === "query")
    it("shows the object to the tenant that owns it", async () => {
      const variables = { ...pick(theirs, kinds), ...withTheirVersion(inputOf(row.field)) };
      const content = withoutContent.has(row.name)
        ? /^200 \{"data":(?!.*"errors")/
        : /^200 \{"data":(?!.*("items":\[\]|:null))/;
      expect(await asked(document, variables, theirToken)).toMatch(content);
    });
});

/** Queries also read the version that their input names, so its id is added. */
function withTheirVersion({ input }: Record<string, unknown>): Record<string, unknown> {
  return input === undefined ? {} : { input: { ...input, templateVersionId: theirs.templateVersionId } };
}

describe.each(withIdsInInput)("the input of $name", ({ field, name, operation }) => {
  const kinds = inputIdsOf(field).filter(isObjectKind);
  const document = documentOf({ name, field, operation });
  const ask = (kind: ObjectKind, id: string) => {
    const input = { ...(inputOf(field)["input"] as object), [kind]: id };
    return asked(document, { ...pick(ours, idsOf(field).filter(isObjectKind)), input }, token);
  };

  it("may name an object of another tenant as little as one that does not exist", async () => {
    for (const kind of kinds) {
      const unknownAnswer = normalized(await ask(kind, unknownIds[kind]), [unknownIds[kind]]);
      expect([kind, normalized(await ask(kind, theirs[kind]), [theirs[kind]])]).toEqual([kind, unknownAnswer]);
      expect(unknownAnswer).toMatch(/"code":"\w*NOT_FOUND"/);
    }
  });
});

describe.each(withTenantInInput)("the input of $name", ({ field, name, operation }) => {
  it("may name no other tenant", async () => {
    const kinds = idsOf(field).filter(isObjectKind);
    const type = inputTypeOf(field)?.name ?? "";
    const args = ["input", ...kinds].map((argument) => `${argument}: $${argument}`).join(", ");
    const variables = [`$input: ${type}!`, ...kinds.map((kind) => `$${kind}: ID!`)].join(", ");
    const input = { ...goodInput(type, false), tenantId: newId("ten") };
    const source = `${operation} (${variables}) { ${name}(${args}) { __typename } }`;
    expect(await asked(source, { ...pick(ours, kinds), input }, token)).toContain('"code":"TENANT_MISMATCH"');
  });
});

describe.each(lists)("$name", ({ name, members }) => {
  const listFor = (by: string) => asked(`{ ${name}(first: 200) { items { ${members.join(" ")} } } }`, {}, by);

  it("shows no object of another tenant", async () => {
    const answer = await listFor(token);
    expect(answer).toMatch(/^200 \{"data":\{"\w+":\{"items":\[/);
    for (const [kind, id] of Object.entries(theirs)) expect([kind, answer.includes(id)]).toEqual([kind, false]);
  });

  it("shows those of the own tenant", async () => {
    const answer = await listFor(theirToken);
    expect(Object.values(theirs).filter((id) => answer.includes(id))).not.toEqual([]);
  });
});

const subscriptions = [
  { name: "executionStatusChanged", kind: "executionId", code: "EXECUTION_NOT_FOUND" },
  { name: "reportRunChanged", kind: "reportRunId", code: "RUN_NOT_FOUND" },
  { name: "runStatusChanged", kind: "runId", code: "RUN_NOT_FOUND" },
] as const;

describe.each(subscriptions)("Subscription.$name", ({ name, kind, code }) => {
  const refusals = async (id: string) => {
    const query = `subscription ($id: ID!) { ${name}(${kind}: $id) { __typename } }`;
    const feed = await aFeed({ query, variables: { id }, token });
    await eventually("it is refused", () => feed.errors.length > 0);
    await feed.stop();
    return normalized(JSON.stringify(feed.errors), [id]);
  };

  it("answers for an object of another tenant as for one that does not exist", async () => {
    const unknownAnswer = await refusals(unknownIds[kind]);
    expect(await refusals(theirs[kind])).toBe(unknownAnswer);
    expect(unknownAnswer).toContain(code);
  });
});

it("tests every subscription with an id", () => {
  const all = Object.values(graph.getSubscriptionType()?.getFields() ?? {}).filter((field) => idsOf(field).length > 0);
  expect(all.map((field) => field.name).sort()).toEqual(subscriptions.map(({ name }) => name));
});
