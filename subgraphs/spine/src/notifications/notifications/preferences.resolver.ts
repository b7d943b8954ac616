import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { SetNotificationPreferencesInput } from "./preferences/notification-preferences.input.js";
import type { NotificationPreferencesService } from "./preferences/notification-preferences.service.js";
import { NotificationPreferencesType } from "./preferences/notification-preferences.type.js";

@Resolver(() => NotificationPreferencesType)
export class NotificationPreferencesResolver {
  readonly #preferences: NotificationPreferencesService;

  constructor(preferences: NotificationPreferencesService) {
    this.#preferences = preferences;
  }

  @Query(() => NotificationPreferencesType, {
    description: "The preferences of the person of the token. A service names the user.",
  })
  @Auth({ scopes: ["notification.read"] })
  notificationPreferences(
    @Arg("recipientUserId", () => ID, { nullable: true }) recipientUserId: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<NotificationPreferencesType> {
    return this.#preferences.find(context, recipientUserId);
  }

  @Mutation(() => NotificationPreferencesType, {
    description: "Replaces all preferences of the person of the token, or of the user whom a service names.",
  })
  @Auth({ scopes: ["notification.read"] })
  setNotificationPreferences(
    @Arg("input") input: SetNotificationPreferencesInput,
    @Ctx() context: RequestContext,
  ): Promise<NotificationPreferencesType> {
    return this.#preferences.replace(context, input);
  }
}
