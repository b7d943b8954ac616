import type { PreparedOperation } from "../requests/prepared-operation.js";
import { deliveryOperation } from "../routes/delivery.routes.js";
import type { DeliveryReceipt, VendorDeliveries } from "./vendor-deliveries.js";

/** Takes deliveries by the mutation of the graph that serves. */
export class DeliveryMutation implements VendorDeliveries {
  prepared: PreparedOperation | undefined;

  async take(
    ...[{ providerKey, headers, body, path }, context]: Parameters<VendorDeliveries["take"]>
  ): Promise<DeliveryReceipt> {
    if (!this.prepared) throw new Error("The graph that serves has no operation for deliveries");
    const input = {
      ...(providerKey === undefined ? {} : { providerKey }),
      headers: pairs(headers),
      body: body.toString("base64"),
      path,
    };
    const { data, errors } = await this.prepared.run({ input }, context);
    if (errors?.[0]) throw errors[0];
    return data?.[deliveryOperation.run] as DeliveryReceipt;
  }
}

function pairs(headers: readonly string[]): { name: string; value: string }[] {
  const found: { name: string; value: string }[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    found.push({ name: headers[at] ?? "", value: headers[at + 1] ?? "" });
  return found;
}
