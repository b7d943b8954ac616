import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { PreviewNotificationTemplateInput, SetNotificationTemplateInput } from "./notification-template.input.js";
import type { NotificationTemplateService } from "./notification-template.service.js";
import {
  NotificationTemplateConnection,
  NotificationTemplatePreviewType,
  NotificationTemplateType,
  SetNotificationTemplateType,
} from "./notification-template.type.js";
import type { TemplateChangeService } from "./template-change.service.js";
import { sortedTemplates } from "./template-list.js";

const ifMatchDescription = {
  nullable: true,
  description: 'The header If-Match: entity tags such as "7", or *. Without one that names the version: 412.',
};
const ifNoneMatchDescription = {
  nullable: true,
  description: "The header If-None-Match: * refuses the change with 412 if the template exists.",
};

@Resolver(() => NotificationTemplateType)
export class NotificationTemplateResolver {
  readonly #templates: NotificationTemplateService;
  readonly #changes: TemplateChangeService;

  constructor(templates: NotificationTemplateService, changes: TemplateChangeService) {
    this.#templates = templates;
    this.#changes = changes;
  }

  @Query(() => NotificationTemplateConnection, {
    description: "The notification templates of the tenant, and those of the platform that it has not replaced.",
  })
  @Auth({ scopes: ["config.read"] })
  notificationTemplates(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedTemplates) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<NotificationTemplateConnection> {
    return this.#templates.list(context, { ...page, sort });
  }

  @Query(() => NotificationTemplateType, { description: "The template that notifications with this key have." })
  @Auth({ scopes: ["config.read"] })
  notificationTemplate(
    @Arg("key", () => ID) key: string,
    @Ctx() context: RequestContext,
  ): Promise<NotificationTemplateType> {
    return this.#templates.get(context, key);
  }

  @Query(() => NotificationTemplatePreviewType, {
    description: "Shows a notification with this template and these values. Nothing is sent.",
  })
  @Auth({ scopes: ["config.read"] })
  previewNotificationTemplate(
    @Arg("key", () => ID) key: string,
    @Arg("input", () => PreviewNotificationTemplateInput, { nullable: true })
    input: PreviewNotificationTemplateInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<NotificationTemplatePreviewType> {
    return this.#templates.preview(context, key, input ?? {});
  }

  @Mutation(() => SetNotificationTemplateType, {
    description:
      "Creates a notification template of the tenant, or replaces it. With the key of a template of the platform it takes its place. The key has 1 to 100 letters, digits, dots, underscores and hyphens, and begins with a letter or digit. A tenant has at most 200 templates.",
  })
  @Auth({ scopes: ["config.manage"] })
  setNotificationTemplate(
    @Arg("key", () => ID) key: string,
    @Arg("input") input: SetNotificationTemplateInput,
    @Arg("ifMatch", () => String, ifMatchDescription) ifMatch: string | null | undefined,
    @Arg("ifNoneMatch", () => String, ifNoneMatchDescription) ifNoneMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<SetNotificationTemplateType> {
    return this.#changes.set(context, key, input, { ifMatch, ifNoneMatch });
  }

  @Mutation(() => NotificationTemplateType, {
    description:
      "Deletes a notification template of the tenant and returns it. A template of the platform with the key is used again.",
  })
  @Auth({ scopes: ["config.manage"] })
  deleteNotificationTemplate(
    @Arg("key", () => ID) key: string,
    @Arg("ifMatch", () => String, ifMatchDescription) ifMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<NotificationTemplateType> {
    return this.#changes.delete(context, key, { ifMatch });
  }
}
