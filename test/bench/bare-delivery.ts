import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type pg from "pg";

/** The secret that the bare server verifies with. */
export const bareSecret = "the-secret-of-the-bare-server";

const insertDelivery = {
  name: "insert_delivery",
  text: `insert into bare.webhook_deliveries (tenant_id, delivery_id, provider_id, provider_key, provider_delivery_id,
      event_name, normalized_event_type, body_sha256, ciphertext, run_id, status, trace_id)
    values ($1, $2, $1, $3, $4, $5, 'WidgetCreated', '', $6, $2, 'Accepted', '')`,
};

/** Verifies one HMAC and inserts one row. */
export function serveBareDeliveries(app: FastifyInstance, pool: pg.Pool, tenantUuid: string): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, finish) => finish(null, body));
    scope.post<{ Body: Buffer }>("/webhooks/deliveries", async ({ headers, body }, reply) => {
      const signature = Buffer.from(String(headers["x-hub-signature-256"]).slice(7), "hex");
      const expectedSignature = createHmac("sha256", bareSecret).update(body).digest();
      if (signature.length !== expectedSignature.length || !timingSafeEqual(signature, expectedSignature))
        return reply.code(401).send();
      const { providerDeliveryId, eventName } = JSON.parse(body.toString()) as Record<string, string>;
      const deliveryId = randomUUID();
      const values = [tenantUuid, deliveryId, headers["x-svc-provider"], providerDeliveryId, eventName, body];
      await pool.query({ ...insertDelivery, values });
      return reply.code(202).send({ deliveryId, status: "Accepted" });
    });
  });
}
