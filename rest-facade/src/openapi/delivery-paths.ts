import { integrationMediaType } from "../http/match-version.js";
import { deliveryRoutes } from "../routes/delivery.routes.js";
import { endpointOf } from "../routes/route.js";
import { refusalsOf } from "./refusals.js";

type Member = Record<string, unknown>;

const text = { type: "string" };
const nullableText = { type: ["string", "null"] };

const receipt = {
  type: "object",
  required: ["deliveryId", "status", "normalizedEventType", "traceId"],
  properties: {
    deliveryId: nullableText,
    status: { type: "string", const: "Accepted" },
    normalizedEventType: nullableText,
    traceId: text,
  },
};

const severalReceipts = {
  ...receipt,
  properties: {
    ...receipt.properties,
    deliveries: {
      type: "array",
      description: "One for each event, where the body is a list of events.",
      items: {
        type: "object",
        required: ["deliveryId", "normalizedEventType"],
        properties: { deliveryId: text, normalizedEventType: text },
      },
    },
    conflicts: {
      type: "array",
      description: "The vendor's ids of events that were not recorded, because another body is known under them.",
      items: text,
    },
  },
};

const hintParameters = [
  ["subscription", "The webhook subscription whose secret has signed the delivery."],
  ["connection", "The connection whose webhookSecretRef names the secret."],
  ["account", "The account at the vendor, which a connection has in configuration.accountId."],
].map(([name, description]) => ({ name, in: "query", required: false, description, schema: text }));

const header = (name: string, description: string, isRequired = false) => ({
  name,
  in: "header",
  required: isRequired,
  description,
  schema: text,
});

/** A vendor that the signature does not prove gets one answer to everything, so no status says what exists. */
const refusals = (method: "GET" | "POST", further: readonly string[]) =>
  refusalsOf({ method, path: "", onGraph: true, further });

const answerHeaders = { "x-trace-id": { description: "Trace id of this request.", schema: text } };

/** The endpoints that vendors call, whose bodies stay bytes until their signature is verified. */
export const deliveryPaths: Record<string, Record<string, Member>> = {
  [endpointOf(deliveryRoutes.specified.at).path]: {
    post: {
      operationId: "ingestWebhookDelivery",
      tags: ["integration"],
      summary: "Ingest webhook delivery",
      description:
        "Takes a delivery that is signed with a secret of the tenant (X-Hub-Signature-256: the HMAC-SHA256 of the body) or with a key of the vendor (x-jws-signature: a detached JWS). A delivery without a signature is SIGNATURE_MISSING, and one whose signature is right and too old is SIGNATURE_EXPIRED; every other failure of the verification has the same answer, 401. A body of more than 64 KiB must name its subscription or connection, and has at most 25 MiB, also after decompression (gzip).",
      security: [],
      parameters: [
        header("X-Svc-Provider", "The key of the provider.", true),
        header("X-Hub-Signature-256", "sha256= and the HMAC in hexadecimal digits."),
        header("x-jws-signature", "A JWS with detached content (RFC 7515, appendix F)."),
        header("X-Svc-Subscription", "The same as the parameter subscription."),
        ...hintParameters,
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["providerDeliveryId", "eventName", "payload"],
              properties: {
                providerDeliveryId: { type: "string", minLength: 1, maxLength: 255 },
                eventName: { type: "string", minLength: 1, maxLength: 200 },
                payload: { description: "Any JSON value." },
              },
            },
          },
        },
      },
      responses: {
        "202": {
          description: "The delivery is recorded. The same id and body get the same answer.",
          headers: answerHeaders,
          content: { "application/json": { schema: receipt }, [integrationMediaType]: { schema: receipt } },
        },
        ...refusals("POST", ["401", "406"]),
      },
    },
  },
  [endpointOf(deliveryRoutes.vendor.at).path]: {
    post: {
      operationId: "ingestVendorDelivery",
      tags: ["integration"],
      summary: "Ingest vendor delivery",
      description:
        "Takes a delivery with the vendor's own headers and body. The driver of the provider says how it is signed and where its id and its event name stand. The deliveryUrl of an Inbound subscription is this path with its parameter.",
      security: [],
      parameters: [
        { name: "providerKey", in: "path", required: true, description: "The key of the provider.", schema: text },
        ...hintParameters,
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: {} },
          "application/x-www-form-urlencoded": { schema: { type: "object" } },
        },
      },
      responses: {
        "200": { description: "The answer to a test of the URL.", content: { "text/plain": { schema: text } } },
        "202": {
          description: "The delivery is recorded. The same id and body get the same answer.",
          headers: answerHeaders,
          content: {
            "application/json": { schema: severalReceipts },
            [integrationMediaType]: { schema: severalReceipts },
          },
        },
        ...refusals("POST", ["401", "406"]),
      },
    },
    get: {
      operationId: "testVendorDeliveryUrl",
      tags: ["integration"],
      summary: "Test vendor delivery URL",
      description:
        "Answers the test by which a vendor asks whether a deliveryUrl wants its deliveries, with a value of the request of at most 1 KiB. The driver of the provider says where the value stands. Every other request is refused alike.",
      security: [],
      parameters: [
        { name: "providerKey", in: "path", required: true, description: "The key of the provider.", schema: text },
        ...hintParameters.slice(0, 2),
      ],
      responses: {
        "200": {
          description: "The value that the vendor expects.",
          content: {
            "text/plain": { schema: text },
            "application/json": { schema: { type: "object", additionalProperties: text } },
          },
        },
        ...refusals("GET", ["405"]),
      },
    },
  },
};
