import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { HangUp } from "@factory/runtime/ingress/hang-up";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchMediaType } from "../http/match-version.js";
import type { PreparedOperation } from "../requests/prepared-operation.js";
import { deliveryOperation, deliveryRoutes } from "../routes/delivery.routes.js";
import { endpointOf, fastifyPath } from "../routes/route.js";

/** The operation as the graph that serves has it. */
export interface DeliveryOperation {
  prepared: PreparedOperation | undefined;
}

interface Receipt {
  readonly deliveryId: string | null;
  readonly status: string;
  readonly normalizedEventType: string | null;
  readonly traceId: string;
  readonly challenge: string | null;
  readonly deliveries: readonly unknown[];
}

/**
 * Takes deliveries of vendors. They have no token, and their bodies stay bytes, because a signature covers them: the
 * operation verifies it before anything is parsed.
 */
export async function serveDeliveries(app: FastifyInstance, operation: DeliveryOperation): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
      done(null, body);
    });
    const config = { rootField: deliveryOperation.run };
    scope.route({
      method: "POST",
      url: fastifyPath(endpointOf(deliveryRoutes.specified.at).path),
      config,
      onRequest: async (request, reply) => {
        reply.header("vary", "Accept").header("content-type", matchMediaType(request.headers.accept));
      },
      handler: async (request, reply) => {
        const { deliveryId, status, normalizedEventType, traceId } = await ingest(operation, request, reply);
        reply.code(202).header("cache-control", "no-store");
        return Buffer.from(JSON.stringify({ deliveryId, status, normalizedEventType, traceId }));
      },
    });
    scope.route({
      method: "POST",
      url: fastifyPath(endpointOf(deliveryRoutes.vendor.at).path),
      config,
      handler: async (request, reply) => {
        const { challenge, deliveries, ...receipt } = await ingest(operation, request, reply);
        reply.header("cache-control", "no-store");
        if (challenge !== null)
          return reply.code(200).header("content-type", "text/plain; charset=utf-8").send(challenge);
        const several = deliveries.length > 1 ? { deliveries } : {};
        return reply
          .code(202)
          .header("content-type", "application/json; charset=utf-8")
          .send({ ...receipt, ...several });
      },
    });
  });
}

async function ingest({ prepared }: DeliveryOperation, request: FastifyRequest, reply: FastifyReply): Promise<Receipt> {
  if (!prepared) throw new Error("The graph that serves has no operation for deliveries");
  const { raw, body, params, url, trace } = request;
  const { providerKey } = params as { providerKey?: string };
  const input = {
    ...(providerKey === undefined ? {} : { providerKey }),
    headers: headersOf(raw.rawHeaders),
    body: Buffer.isBuffer(body) ? body.toString("base64") : "",
    path: url,
  };
  const context = requestContext({
    principal: undefined,
    trace,
    ...originOfRequest(raw),
    signal: new HangUp(reply.raw),
  });
  const { data, errors } = await prepared.run({ input }, context);
  if (errors?.[0]) throw errors[0];
  return data?.[deliveryOperation.run] as Receipt;
}

/** Every header with every value: a header that is sent twice must not verify. */
function headersOf(rawHeaders: readonly string[]): { name: string; value: string }[] {
  const headers: { name: string; value: string }[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.push({ name: rawHeaders[at] ?? "", value: rawHeaders[at + 1] ?? "" });
  return headers;
}
