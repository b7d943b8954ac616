import { Auth } from "@factory/runtime/graphql/auth";
import { Json } from "@factory/runtime/graphql/scalars";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import type { IntakePort } from "./intake-port.js";
import { IngestWebhookDeliveryInput, WebhookDeliveryFilterInput } from "./webhook-delivery.input.js";
import { sortedDeliveries, type WebhookDeliveryService } from "./webhook-delivery.service.js";
import {
  IngestedWebhookDeliveryType,
  readWebhookDeliveries,
  WebhookDeliveryConnection,
  WebhookDeliveryType,
} from "./webhook-delivery.type.js";

@Resolver(() => WebhookDeliveryType)
export class WebhookDeliveryResolver {
  readonly #deliveries: WebhookDeliveryService;
  readonly #intake: IntakePort;

  constructor(deliveries: WebhookDeliveryService, intake: IntakePort) {
    this.#deliveries = deliveries;
    this.#intake = intake;
  }

  @Query(() => WebhookDeliveryType, { description: "A verified delivery of a vendor." })
  @Auth(readWebhookDeliveries)
  webhookDelivery(
    @Arg("deliveryId", () => ID) deliveryId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryType> {
    return this.#deliveries.get(context, deliveryId);
  }

  @Query(() => WebhookDeliveryConnection, { description: "The verified deliveries of the tenant, the newest first." })
  @Auth(readWebhookDeliveries)
  webhookDeliveries(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedDeliveries) sort: string | null | undefined,
    @Arg("filter", () => WebhookDeliveryFilterInput, { nullable: true })
    filter: WebhookDeliveryFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryConnection> {
    return this.#deliveries.list(context, { ...page, sort, filter });
  }

  @FieldResolver(() => Json, {
    nullable: true,
    description:
      "The body that the vendor has sent. Null without the scope webhooks.deliveries.read, and 30 days after the reception.",
  })
  async payload(@Root() { deliveryId }: WebhookDeliveryType, @Ctx() context: RequestContext): Promise<unknown> {
    if (!principalOf(context).scopes.has("webhooks.deliveries.read")) return null;
    return this.#deliveries.payload(context, deliveryId);
  }

  @Mutation(() => IngestedWebhookDeliveryType, {
    description:
      "Takes a delivery of a vendor. Its signature is the authentication: the tenant is the one whose secret verifies it.",
  })
  @Auth({ anonymous: true })
  ingestWebhookDelivery(
    @Arg("input") input: IngestWebhookDeliveryInput,
    @Ctx() context: RequestContext,
  ): Promise<IngestedWebhookDeliveryType> {
    const { providerKey, headers, body, path, method } = input;
    return this.#intake.take(
      {
        ...{ providerKey, path, method },
        headers: headers.flatMap(({ name, value }) => [name, value]),
        body: Buffer.from(body, "base64"),
      },
      context,
    );
  }
}
