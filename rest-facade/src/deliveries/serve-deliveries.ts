import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { HangUp } from "@factory/runtime/ingress/hang-up";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchMediaType, mediaTypeForVendor } from "../http/match-version.js";
import { deliveryOperation, deliveryRoutes } from "../routes/delivery.routes.js";
import { endpointOf, fastifyPath } from "../routes/route.js";
import type { DeliveryReceipt, VendorDeliveries } from "./vendor-deliveries.js";

/**
 * Takes deliveries of vendors. They have no token, and their bodies stay bytes, because a signature covers them: it is verified
 * before anything is parsed.
 */
export async function serveDeliveries(app: FastifyInstance, deliveries: VendorDeliveries): Promise<void> {
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
        const { deliveryId, status, normalizedEventType, traceId } = await take(deliveries, request, reply);
        reply.code(202).header("cache-control", "no-store");
        return Buffer.from(JSON.stringify({ deliveryId, status, normalizedEventType, traceId }));
      },
    });
    scope.route({
      method: "POST",
      url: fastifyPath(endpointOf(deliveryRoutes.vendor.at).path),
      config,
      onRequest: async (_request, reply) => {
        reply.header("vary", "Accept");
      },
      handler: async (request, reply) => {
        const { challenge, deliveries: accepted, conflicts, ...receipt } = await take(deliveries, request, reply);
        reply.header("cache-control", "no-store");
        if (challenge !== null)
          return reply.code(200).header("content-type", "text/plain; charset=utf-8").send(challenge);
        const several = {
          ...(accepted.length > 1 || conflicts.length > 0 ? { deliveries: accepted } : {}),
          ...(conflicts.length > 0 ? { conflicts } : {}),
        };
        return reply
          .code(202)
          .header("content-type", mediaTypeForVendor(request.headers.accept))
          .send(Buffer.from(JSON.stringify({ ...receipt, ...several })));
      },
    });
  });
}

function take(deliveries: VendorDeliveries, request: FastifyRequest, reply: FastifyReply): Promise<DeliveryReceipt> {
  const { raw, body, params, url, trace } = request;
  const { providerKey } = params as { providerKey?: string };
  const context = requestContext({
    principal: undefined,
    trace,
    ...originOfRequest(raw),
    signal: new HangUp(reply.raw),
  });
  // Every header with every value: a header that is sent twice must not verify.
  const headers = raw.rawHeaders;
  return deliveries.take(
    { providerKey, headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), path: url },
    context,
  );
}
