import { platformScopes, type Scope, tenantScopes } from "@factory/schema/scopes";
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from "graphql";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { anIdentityToken } from "../kit/identity-sign-ins.js";
import { graphql } from "../kit/request.js";
import { committedGraph } from "../kit/routes.js";
import { ScopeTokens } from "../kit/scope-tokens.js";
import { aTenant } from "../kit/tenants.js";

interface Rule {
  readonly scopes?: readonly Scope[];
  readonly platformAdmin?: boolean;
  readonly anonymous?: boolean;
}

const graph = committedGraph();

function ruleOf({ astNode }: GraphQLField<unknown, unknown>): Rule {
  const directive = astNode?.directives?.find(({ name }) => name.value === "auth");
  const ruleEntries = directive?.arguments?.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]);
  return Object.fromEntries(ruleEntries ?? []) as Rule;
}

/** The smallest literal that is valid for the GraphQL type. */
function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type)) return "[]";
  if (isInputObjectType(type)) {
    const requiredFields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${requiredFields.map((field) => `${field.name}: ${literal(field.type)}`).join(", ")} }`;
  }
  if (isEnumType(type)) return type.getValues()[0]?.name ?? "";
  return { JSONObject: "{}", Int: "1", Float: "1", Boolean: "true" }[type.name] ?? '"x"';
}

const roots = { query: graph.getQueryType(), mutation: graph.getMutationType() } as const;

/** The field with the smallest arguments that are valid in GraphQL. */
function smallestCall({ name, args, type: answer }: GraphQLField<unknown, unknown>): string {
  const requiredArguments = args.filter(({ type }) => isNonNullType(type));
  const argumentText = requiredArguments.map((argument) => `${argument.name}: ${literal(argument.type)}`).join(", ");
  return `${name}${argumentText === "" ? "" : `(${argumentText})`} ${isLeafType(getNamedType(answer)) ? "" : "{ __typename }"}`;
}

const fields = Object.entries(roots).flatMap(([operation, type]) =>
  Object.values(type?.getFields() ?? {}).map((field) => ({
    coordinate: `${type?.name}.${field.name}`,
    document: `${operation} { ${smallestCall(field)} }`,
    rule: ruleOf(field),
  })),
);

let tokens: ScopeTokens;
let identityToken: string;

beforeAll(async () => {
  const tenant = await aTenant();
  tokens = new ScopeTokens(tenant);
  identityToken = await anIdentityToken(tenant);
});

async function codes(document: string, token?: string): Promise<unknown[]> {
  const { status, body } = await graphql(document, { token });
  const errorCodes = (body.errors ?? []).map(({ extensions }) => extensions.code);
  if (errorCodes.includes("UNAUTHENTICATED")) expect(status).toBe(401);
  return errorCodes;
}

const unscopedFields = fields.filter(({ rule }) => Object.keys(rule).length === 0);
/** `node` and `nodes` show what the caller's scopes allow. */
const everyTokenFields = ["Query.me", "Query.node", "Query.nodes"];
const forEveryToken = unscopedFields.filter(({ coordinate }) => everyTokenFields.includes(coordinate));
const forPeople = unscopedFields.filter((field) => !forEveryToken.includes(field));
const guardedFields = fields.filter((field) => field.rule.anonymous !== true && !unscopedFields.includes(field));

describe.each(forEveryToken)("$coordinate", ({ document }) => {
  it("requires a token but no scope", async () => {
    expect(await codes(document)).toEqual(["UNAUTHENTICATED"]);
    expect(await codes(document, await tokens.ofTenant("user.read"))).toEqual([]);
  });
});

describe.each(forPeople)("$coordinate", ({ document }) => {
  it("requires a token of a person", async () => {
    expect(await codes(document)).toEqual(["UNAUTHENTICATED"]);
    const { body } = await graphql(document, { token: await tokens.ofTenant() });
    const [code] = (body.errors ?? []).map(({ extensions }) => extensions.code);
    expect(["FIRST_PARTY_CLIENT_REQUIRED", "VALIDATION_FAILED"]).toContain(code);
  });
});

describe.each(guardedFields)("$coordinate", ({ document, rule }) => {
  const scopes = rule.scopes ?? [];

  it("requires a token", async () => {
    expect(await codes(document)).toEqual(["UNAUTHENTICATED"]);
    expect((await graphql(document, { token: "garbage" })).status).toBe(401);
  });

  it("requires its scope", async () => {
    const unrelated = tenantScopes.find((scope) => !scopes.includes(scope)) ?? "user.read";
    const { body } = await graphql(document, { token: await tokens.ofTenant(unrelated) });
    expect(body.errors).toHaveLength(1);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: scopes });
  });

  it("is closed to the token of a sign-in with openid, profile, email and offline_access alone", async () => {
    expect(await codes(document, identityToken)).toEqual(["INSUFFICIENT_SCOPE"]);
  });

  it.each(scopes)("is open to %s alone", async (scope) => {
    const ofPlatform = rule.platformAdmin || !tenantScopes.includes(scope);
    const token = await (ofPlatform ? tokens.ofPlatform(scope) : tokens.ofTenant(scope));
    const refused = ["UNAUTHENTICATED", "INSUFFICIENT_SCOPE", "PLATFORM_ADMIN_REQUIRED", "GRAPHQL_VALIDATION_FAILED"];
    expect((await codes(document, token)).filter((code) => refused.includes(String(code)))).toEqual([]);
  });

  if (rule.platformAdmin)
    it("refuses every token of a tenant, and a platform administrator without its scope", async () => {
      const others = platformScopes.filter((scope) => !scopes.includes(scope));
      for (const token of [await tokens.ofTenant(), await tokens.ofPlatform(...others)])
        expect(await codes(document, token)).toEqual(["INSUFFICIENT_SCOPE"]);
    });
  else if (!scopes.some((scope) => platformScopes.some((platformScope) => platformScope === scope)))
    it("refuses a platform administrator, whose token lacks the scope", async () => {
      expect(await codes(document, await tokens.ofPlatform())).toEqual(["INSUFFICIENT_SCOPE"]);
    });
});

describe.each(Object.values(graph.getSubscriptionType()?.getFields() ?? {}))("Subscription.$name", (field) => {
  const query = `subscription { ${smallestCall(field)} }`;

  it("requires a token", async () => {
    const feed = await aFeed({ query });
    expect(await feed.closed).toMatchObject({ code: 4403 });
  });

  it("requires one of its scopes, which identity scopes are not", async () => {
    const { scopes = [] } = ruleOf(field);
    const unrelated = tenantScopes.find((scope) => !scopes.includes(scope)) ?? "templates.write";
    for (const token of [await tokens.ofTenant(unrelated), identityToken]) {
      const feed = await aFeed({ query, token });
      await eventually("it is refused", () => feed.errors.length > 0);
      expect(feed.errors[0]).toMatchObject({ extensions: { code: "INSUFFICIENT_SCOPE" } });
      await feed.stop();
    }
  });
});

describe("a document without a token", () => {
  const accept = `acceptInvitation(input: { token: "x", password: "long enough" }) { __typename }`;
  const revoke = `revokeInvitation(invitationId: "x") { __typename }`;
  const more = `fragment more on Mutation { again: ${accept} __typename }`;

  it("runs when all its fields are anonymous", async () => {
    expect(await codes(`mutation { ${accept} }`)).toEqual(["NOT_FOUND"]);
    expect(await codes(`mutation { ${accept} ...more } ${more}`)).toContain("NOT_FOUND");
    expect((await graphql(`mutation { ${accept} }`, { token: "garbage" })).status).toBe(401);
  });

  it("is refused completely when one field is not anonymous", async () => {
    for (const selection of [`${accept} ${revoke} ...more`, `...more ... { ${revoke} }`]) {
      const { status, body } = await graphql(`mutation { ${selection} } ${more}`);
      expect([status, body.data ?? null]).toEqual([401, null]);
      expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(["UNAUTHENTICATED"]);
    }
  });
});

describe("the graph", () => {
  it("has exactly these root fields without a scope, and exactly these without a token", () => {
    const all = [graph.getQueryType(), graph.getMutationType(), graph.getSubscriptionType()];
    const rules = all.flatMap((type) => Object.values(type?.getFields() ?? {}).map(ruleOf));
    const unscopedRules = rules.filter(({ scopes = [], anonymous }) => anonymous !== true && scopes.length === 0);
    expect(forEveryToken.map(({ coordinate }) => coordinate).sort()).toEqual(everyTokenFields);
    expect(forPeople.map(({ coordinate }) => coordinate).sort()).toEqual([
      ...["Mutation.changeOwnPassword", "Mutation.endOtherOwnSessions", "Mutation.endOwnSession", "Query.ownSessions"],
    ]);
    expect(unscopedRules).toHaveLength(unscopedFields.length);
    const open = fields.filter(({ rule }) => rule.anonymous === true).map(({ coordinate }) => coordinate);
    expect(open.sort()).toEqual([
      ...["Mutation.acceptInvitation", "Mutation.ingestWebhookDelivery"],
      ...["Mutation.requestPasswordReset", "Mutation.resetPassword"],
    ]);
    expect(rules.filter(({ anonymous }) => anonymous === true)).toHaveLength(open.length);
  });

  it("does not show the fields of the federation protocol", async () => {
    const token = await tokens.ofTenant();
    const entities = `{ _entities(representations: [{ __typename: "Template", templateId: "x" }]) { __typename } }`;
    for (const document of [entities, "{ _service { sdl } }"])
      expect((await graphql(document, { token })).body.errors?.[0]?.message).toContain("Cannot query field");
  });
});
