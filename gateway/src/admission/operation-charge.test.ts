import type { Principal } from "@factory/runtime/auth/principal";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { getOperationAST, parse } from "graphql";
import { chargeWork, type RateLimits, refusedByRate } from "./operation-charge.js";
import { aPrincipal } from "./principal.fixture.js";

const principal = aPrincipal();

async function charge(text: string, from: Principal | undefined = principal) {
  const spentPoints: Record<string, number> = {};
  const limits: RateLimits = {
    async spend(rate, _principal, points) {
      spentPoints[rate] = points;
      return { exceeded: points > 3, seconds: 7 };
    },
    charge: () => undefined,
    async spendAnonymous(address, points) {
      spentPoints[address] = points;
      return { exceeded: points > 3, seconds: 7 };
    },
  };
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error("no operation");
  const context = requestContext({ principal: from, address: "192.0.2.1", trace: continueTrace(undefined) });
  return { spent: spentPoints, refusal: (await refusedByRate(limits, { document, operation }, context))?.extensions };
}

describe("the charge of an operation", () => {
  it("is one request for each root field, aliases and fragments included", async () => {
    const { spent } = await charge(
      "{ a: template { name } b: template { name } ...more } fragment more on Query { library { area } }",
    );
    expect(spent).toEqual({ read: 3 });
  });

  it("is of the class of the REST request that a field stands for", async () => {
    const { spent } = await charge(
      "mutation { registerTemplate { name } ... { requestExecution { status } requestExecution { status } } }",
    );
    expect(spent).toEqual({ write: 1, execute: 2 });
    expect((await charge("mutation { retryExecution { status } }")).spent).toEqual({ execute: 1 });
    expect((await charge("{ previewExecution { files { path } } }")).spent).toEqual({ execute: 1 });
    expect((await charge("subscription { events { type } }")).spent).toEqual({ read: 1 });
  });

  it("refuses an operation that is over its limit, and says when to come again", async () => {
    expect((await charge("{ a: x b: x c: x d: x }")).refusal).toMatchObject({
      code: "RATE_LIMITED",
      status: 429,
      retryAfterSeconds: 7,
    });
    expect((await charge("{ a: x }")).refusal).toBeUndefined();
  });
});

describe("the work of an operation that has ended", () => {
  it.each([
    ["{ template { name } }", 4, { read: 4 }],
    ["mutation { evaluateLibraryCompatibility { compatible } }", 2, { write: 2 }],
    ["{ template { name } }", 0, {}],
  ])("of %s is counted beside its fields: %i points", (text, points, expectedPoints) => {
    const spentPoints: Record<string, number> = {};
    const limits: RateLimits = {
      spend: () => Promise.reject(new Error("The work is done")),
      charge(rate, _principal, count) {
        spentPoints[rate] = count;
      },
      spendAnonymous: () => Promise.reject(new Error("The caller is known")),
    };
    const operation = getOperationAST(parse(text));
    if (!operation) throw new Error("no operation");
    const context = requestContext({ principal, trace: continueTrace(undefined) });
    context.points += points;
    chargeWork(limits, { operation }, context);
    expect(spentPoints).toEqual(expectedPoints);
  });
});
