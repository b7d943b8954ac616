import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { causeOfDelivery, subjectOfDelivery } from "../../deliveries/delivery-handling/claimed-delivery.js";
import type { DeliveryHandler } from "../../deliveries/delivery-handling/delivery-handlers.js";
import { connectionsOfDelivery, isFromVendor } from "../../deliveries/delivery-handling/delivery-source.js";
import { pullRequestForm } from "../../providers/providers/preset-source-control.js";
import { valueInPayload } from "../vendor-commands/answer-value.js";
import { readPullRequest } from "./pull-request.js";

/** Reports what a delivery tells about a pull request, in the platform's words. */
export const reportPullRequest: DeliveryHandler = async (transaction, { delivery, provider, payload }) => {
  const form = pullRequestForm(provider?.preset ?? null, delivery.event_name);
  const pullRequest = form && readPullRequest(form, form.delivery, payload.value);
  const repository = form && valueInPayload(payload.value, form.delivery.repository);
  if (!pullRequest || repository === undefined || repository === null) return false;
  if (!(await isFromVendor(transaction, delivery))) return false;
  const connections = await connectionsOfDelivery(transaction, delivery);
  transaction.record(
    {
      type: "PullRequestReported",
      ...subjectOfDelivery(delivery),
      data: {
        deliveryId: encodeId("whd", delivery.delivery_id),
        providerId: encodeId("prv", delivery.provider_id),
        connectionId: delivery.connection_id === null ? null : encodeId("con", delivery.connection_id),
        connectionIds: connections?.map((id) => encodeId("con", id)) ?? null,
        repository,
        ...pullRequest,
      },
    },
    causeOfDelivery(delivery),
  );
  return true;
};
