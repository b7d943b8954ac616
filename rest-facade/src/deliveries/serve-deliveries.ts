import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { HangUp } from "@factory/runtime/ingress/hang-up";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchMediaType, mediaTypeForVendor } from "../http/match-version.js";
import { deliveryOperation, deliveryRoutes } from "../routes/delivery.routes.js";
import { endpointOf, fastifyPath } from "../routes/route.js";
import type { DeliveryReceipt, VendorDeliveries } from "./vendor-deliveries.js";

/**
 * Takes vendors' deliveries. They have no token, and their bodies stay bytes, because a signature covers them: it is
 * verified before anything is parsed.
 */
export async function serveDeliveries(app: FastifyInstance, deliveries: VendorDeliveries): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The deliveries' owner reads the body, since only it knows how large it may be.
    scope.addContentTypeParser("*", (_request, _payload, callback) => {
      callback(null);
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
      method: ["POST", "GET", "HEAD"],
      exposeHeadRoute: false,
      url: fastifyPath(endpointOf(deliveryRoutes.vendor.at).path),
      config,
      onRequest: async (_request, reply) => {
        reply.header("vary", "Accept");
      },
      handler: async (request, reply) => {
        const answer = await take(deliveries, request, reply);
        const { challenge, challengeMediaType, deliveries: acceptedDeliveries, conflicts, ...receipt } = answer;
        reply.header("cache-control", "no-store");
        if (challenge !== null) {
          const type = challengeMediaType === "application/json" ? challengeMediaType : "text/plain";
          reply.code(200).header("content-type", `${type}; charset=utf-8`).header("x-content-type-options", "nosniff");
          return reply.send(Buffer.from(challenge));
        }
        const several = {
          ...(acceptedDeliveries.length > 1 || conflicts.length > 0 ? { deliveries: acceptedDeliveries } : {}),
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

/** This many bytes in a refused body are read and dropped, so that its sender sees the answer. */
const maxDroppedBytes = 25 * 1024 * 1024;

async function take(
  deliveries: VendorDeliveries,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<DeliveryReceipt> {
  const { raw, params, url, trace, method } = request;
  const { providerKey } = params as { providerKey?: string };
  const context = requestContext({
    principal: undefined,
    trace,
    ...originOfRequest(raw),
    signal: new HangUp(reply.raw),
  });
  // Every header with every value: a header that is sent twice must not verify.
  const headers = raw.rawHeaders;
  // Without its end the request must stay open, since its connection carries the answer.
  const body = raw.iterator({ destroyOnReturn: false });
  try {
    return await deliveries.take({ providerKey, headers, body, path: url, method }, context);
  } catch (error) {
    if (method !== "POST") reply.header("allow", "POST");
    if (!raw.complete) {
      const length = Number(raw.headers["content-length"] ?? Number.POSITIVE_INFINITY);
      if (length > maxDroppedBytes) reply.header("connection", "close");
      raw.resume();
    }
    throw error;
  }
}
