import { DomainError } from "@factory/runtime/errors/domain-error";
import { maxBodyBytes } from "../http/listener.js";
import type { PreparedOperation } from "../requests/prepared-operation.js";
import { deliveryOperation } from "../routes/delivery.routes.js";
import type { DeliveryReceipt, VendorDeliveries } from "./vendor-deliveries.js";

/** Takes deliveries through the serving graph's mutation. */
export class DeliveryMutation implements VendorDeliveries {
  prepared: PreparedOperation | undefined;

  async take(
    ...[{ providerKey, headers, body, path, method }, context]: Parameters<VendorDeliveries["take"]>
  ): Promise<DeliveryReceipt> {
    if (!this.prepared) throw new Error("The graph that serves has no operation for deliveries");
    const input = {
      ...(providerKey === undefined ? {} : { providerKey }),
      headers: pairs(headers),
      body: (await bytesOf(body)).toString("base64"),
      path,
      method,
    };
    const { data, errors } = await this.prepared.run({ input }, context);
    if (errors?.[0]) throw errors[0];
    return data?.[deliveryOperation.run] as DeliveryReceipt;
  }
}

/** Throws PAYLOAD_TOO_LARGE for more than a GraphQL text may hold. */
async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > maxBodyBytes)
      throw new DomainError("PAYLOAD_TOO_LARGE", {
        detail: "The body is larger than 1 MiB, which is the limit.",
        maxBytes: maxBodyBytes,
      });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function pairs(headers: readonly string[]): { name: string; value: string }[] {
  const headerPairs: { name: string; value: string }[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    headerPairs.push({ name: headers[at] ?? "", value: headers[at + 1] ?? "" });
  return headerPairs;
}
