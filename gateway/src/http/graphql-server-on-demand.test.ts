import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { GraphqlServer } from "./graphql-server.js";
import { GraphqlServerOnDemand } from "./graphql-server-on-demand.js";

const request = { method: "POST", headers: [], search: "", body: {} } as const;
const context = requestContext({ principal: undefined, trace: continueTrace(undefined) });
const answer = { status: 200, headers: [], body: "{}", mayBeCompressed: true };

/** Counts how often it is started and stopped. The first starts fail. */
class CountedServer {
  starts = 0;
  stops = 0;

  constructor(readonly failures = 0) {}

  readonly start = async (): Promise<GraphqlServer> => {
    this.starts += 1;
    if (this.starts <= this.failures) throw new Error("no memory");
    return { execute: async () => answer, stop: async () => void (this.stops += 1) };
  };
}

describe("a GraphQL server on demand", () => {
  it("starts once for requests at the same time", async () => {
    const countedServer = new CountedServer();
    const server = new GraphqlServerOnDemand(countedServer.start);
    expect(countedServer.starts).toBe(0);
    const both = await Promise.all([server.execute(request, context), server.execute(request, context)]);
    expect(both).toEqual([answer, answer]);
    await server.stop();
    expect([countedServer.starts, countedServer.stops]).toEqual([1, 1]);
  });

  it("tries a failed start again with the next request", async () => {
    const server = new GraphqlServerOnDemand(new CountedServer(1).start);
    await expect(server.execute(request, context)).rejects.toThrow("no memory");
    expect(await server.execute(request, context)).toEqual(answer);
  });

  it("stops without a start", async () => {
    const countedServer = new CountedServer();
    await new GraphqlServerOnDemand(countedServer.start).stop();
    expect(countedServer.starts).toBe(0);
  });
});
