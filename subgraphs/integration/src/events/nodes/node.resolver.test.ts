import { NodeTypes } from "@factory/runtime/graphql/node-types";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { NodeResolver } from "./node.resolver.js";
import { NodeService } from "./node.service.js";

const resolver = new NodeResolver(new NodeService(new NodeTypes(), async () => [new NodeTypes()]));

describe("Query.nodes", () => {
  it.each([
    [0, 0],
    [1, 0],
    [10, 0],
    [11, 1],
    [100, 9],
  ])("costs %s ids %s points beside the one of its request", async (count, points) => {
    const context = requestContext({ principal: undefined, trace: continueTrace(undefined) });
    const ids = Array.from({ length: count }, () => newId("tpl"));
    expect(await resolver.nodes(ids, context)).toEqual(ids.map(() => null));
    expect(context.points).toBe(points);
  });
});
