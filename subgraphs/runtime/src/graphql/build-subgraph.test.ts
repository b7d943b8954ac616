import { jest } from "@jest/globals";
import { type ExecutionResult, execute, parse } from "graphql";
import { Arg, Directive, Field, FieldResolver, ID, ObjectType, Query, Resolver } from "type-graphql";
import type { Principal } from "../auth/principal.js";
import { createLogger } from "../telemetry/logger.js";
import { continueTrace } from "../telemetry/trace.js";
import { requestContext } from "../tenancy/request-context.js";
import { Auth } from "./auth.js";
import { buildSubgraph } from "./build-subgraph.js";
import { Json } from "./scalars.js";

@ObjectType("Book", { simpleResolvers: true })
@Directive('@key(fields: "isbn")')
class Book {
  @Field(() => ID)
  isbn: string;
}

@Resolver(() => Book)
class BookResolver {
  @Query(() => Book)
  @Auth({ scopes: ["templates.write"] })
  book(@Arg("isbn", () => ID) isbn: string): Book {
    return { isbn };
  }

  @Query(() => String)
  @Auth({ scopes: ["templates.write"], internal: true })
  inner(): string {
    return "inner";
  }

  @Query(() => String)
  @Auth({ scopes: ["templates.write"] })
  kept(@Arg("value", () => Json) value: unknown): string {
    return typeof value;
  }

  @FieldResolver(() => String, { nullable: true })
  @Auth({ scopes: ["templates.read"] })
  summary(): string {
    return "a summary";
  }

  @FieldResolver(() => String, { nullable: true })
  review(): string {
    throw new Error('select * from "catalog"."reviews" failed in /srv/app');
  }
}

const logger = createLogger("test", "silent");
const resolve = jest.fn(async ({ isbn = "" }: Record<string, string>) => ({ isbn }));
const { schema } = buildSubgraph({
  logger,
  resolvers: [new BookResolver()],
  references: { Book: { auth: { scopes: ["templates.read"] }, resolve } },
});

const principal = (...scopes: string[]): Principal => ({
  subject: "svc",
  clientId: "cli",
  tenantId: undefined,
  tenantSlug: undefined,
  scopes: new Set(scopes),
  principalType: "Service",
  platformAdmin: false,
  agentTaskId: undefined,
  roles: [],
  tokenId: "jti",
  expiresAt: 0,
});

interface Asked {
  scopes?: string[];
  internal?: boolean;
  variables?: Record<string, unknown>;
}

async function ask(document: string, { scopes = ["templates.write"], internal = false, variables = {} }: Asked = {}) {
  const contextValue = requestContext({ principal: principal(...scopes), trace: continueTrace(undefined), internal });
  const result: ExecutionResult = await execute({
    schema,
    document: parse(document),
    variableValues: variables,
    contextValue,
  });
  return {
    data: result.data,
    codes: (result.errors ?? []).map(({ extensions }) => extensions["code"]),
    errors: result.errors,
  };
}

describe("a reference to an entity", () => {
  const document = `{ _entities(representations: [{ __typename: "Book", isbn: "1" }]) { ... on Book { isbn } } }`;

  it("needs the entity's own scope, whatever led to it", async () => {
    expect(await ask(document)).toMatchObject({ data: { _entities: [null] }, codes: ["INSUFFICIENT_SCOPE"] });
    expect(resolve).not.toHaveBeenCalled();
    expect((await ask(document, { scopes: ["templates.read"] })).data).toEqual({ _entities: [{ isbn: "1" }] });
  });
});

describe("a refused root field", () => {
  it("leaves the other fields their values", async () => {
    expect(await ask(`{ inner first: book(isbn: "1") { isbn } }`)).toMatchObject({
      data: { inner: null, first: { isbn: "1" } },
      codes: ["NOT_FOUND"],
    });
  });
});

describe("a field below the root", () => {
  it("needs the scope that it declares", async () => {
    const document = `{ book(isbn: "1") { isbn summary } }`;
    expect(await ask(document)).toMatchObject({
      data: { book: { isbn: "1", summary: null } },
      codes: ["INSUFFICIENT_SCOPE"],
    });
    expect((await ask(document, { scopes: ["templates.write", "templates.read"] })).codes).toEqual([]);
  });

  it("shows nothing of what went wrong inside", async () => {
    const { errors, codes } = await ask(`{ book(isbn: "1") { review } }`);
    expect(codes).toEqual(["INTERNAL"]);
    expect(JSON.stringify(errors)).not.toMatch(/select|srv/);
  });
});

describe("an internal root field", () => {
  it("is not there for the public listener", async () => {
    expect((await ask("{ inner }")).codes).toEqual(["NOT_FOUND"]);
    expect((await ask("{ inner }", { internal: true })).data).toEqual({ inner: "inner" });
  });

  it("asks for its scope first", async () => {
    expect((await ask("{ inner }", { scopes: [] })).codes).toEqual(["INSUFFICIENT_SCOPE"]);
  });
});

describe("arguments", () => {
  it.each([
    ["NUL in a document", String.raw`{ book(isbn: "a\u0000b") { isbn } }`, {}],
    ["NUL in a variable", "query ($isbn: ID!) { book(isbn: $isbn) { isbn } }", { isbn: "a\0b" }],
    ["a lone surrogate in a variable", "query ($isbn: ID!) { book(isbn: $isbn) { isbn } }", { isbn: "a\ud800" }],
    ["NUL in a name of free JSON", "query ($value: JSON!) { kept(value: $value) }", { value: [{ "a\0": 1 }] }],
    ["more than 64 levels", "query ($value: JSON!) { kept(value: $value) }", { value: nested(10_000) }],
  ])("are refused with %s", async (_, document, variables) => {
    expect((await ask(document, { variables })).codes).toEqual(["VALIDATION_FAILED"]);
  });
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
