import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { BroadcastService } from "./broadcast/broadcast.service.js";
import { BroadcastType } from "./broadcast/broadcast.type.js";
import { BroadcastNotificationInput } from "./broadcast/broadcast-notification.input.js";
import { MarkNotificationsReadInput } from "./inbox/mark-notifications-read.input.js";
import type { NotificationService } from "./inbox/notification.service.js";
import { NotificationFilterInput } from "./inbox/notification-filter.input.js";
import { sortedNotifications } from "./inbox/notification-list.js";
import type { ReadMarksService } from "./inbox/read-marks.service.js";
import { ReadMarksType } from "./inbox/read-marks.type.js";
import { NotificationConnection, NotificationType } from "./record/notification.type.js";
import type { NotificationRequestService } from "./request/notification-request.service.js";
import { SendNotificationInput } from "./request/send-notification.input.js";
import { SentNotificationsType } from "./request/sent-notifications.type.js";

interface NotificationServices {
  readonly broadcasts: BroadcastService;
  readonly requests: NotificationRequestService;
  readonly notifications: NotificationService;
  readonly readMarks: ReadMarksService;
}

@Resolver(() => NotificationType)
export class NotificationResolver {
  readonly #services: NotificationServices;

  constructor(services: NotificationServices) {
    this.#services = services;
  }

  @Query(() => NotificationConnection, {
    description:
      "The notifications of the person of the token. A service, and a person who also holds notification.send, sees those of the whole tenant.",
  })
  @Auth({ scopes: ["notification.read"] })
  notifications(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedNotifications) sort: string | null | undefined,
    @Arg("filter", () => NotificationFilterInput, { nullable: true })
    filter: NotificationFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<NotificationConnection> {
    return this.#services.notifications.list(context, { ...page, sort, filter });
  }

  @Query(() => NotificationType, { description: "One notification that the caller may see." })
  @Auth({ scopes: ["notification.read"] })
  notification(
    @Arg("notificationId", () => ID) notificationId: string,
    @Ctx() context: RequestContext,
  ): Promise<NotificationType> {
    return this.#services.notifications.get(context, notificationId);
  }

  @Mutation(() => SentNotificationsType, {
    description:
      "Sends a notification to each of 1 to 100 recipients. In the channel InApp it is in the inbox at once; in the others it is queued.",
  })
  @Auth({ scopes: ["notification.send"] })
  sendNotification(
    @Arg("input") input: SendNotificationInput,
    @Ctx() context: RequestContext,
  ): Promise<SentNotificationsType> {
    return this.#services.requests.send(context, input);
  }

  @Mutation(() => BroadcastType, {
    description: "Sends an in-app notification to all active users of the tenant, or to those who hold a role.",
  })
  @Auth({ scopes: ["notification.send"] })
  broadcastNotification(
    @Arg("input") input: BroadcastNotificationInput,
    @Ctx() context: RequestContext,
  ): Promise<BroadcastType> {
    return this.#services.broadcasts.send(context, input);
  }

  @Mutation(() => NotificationType, {
    description: "Marks a notification as read, for its recipient or by a service that shows an inbox.",
  })
  @Auth({ scopes: ["notification.read"] })
  markNotificationRead(
    @Arg("notificationId", () => ID) notificationId: string,
    @Ctx() context: RequestContext,
  ): Promise<NotificationType> {
    return this.#services.readMarks.markOne(context, notificationId);
  }

  @Mutation(() => ReadMarksType, {
    description: "Marks all in-app notifications of a user as read, for that user or by a service that shows an inbox.",
  })
  @Auth({ scopes: ["notification.read"] })
  markNotificationsRead(
    @Arg("input", () => MarkNotificationsReadInput, { nullable: true })
    input: MarkNotificationsReadInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ReadMarksType> {
    return this.#services.readMarks.markAll(context, input);
  }
}
