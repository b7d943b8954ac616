import { foreignEntity } from "@factory/runtime/graphql/foreign-entity";
import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { PlatformLimits } from "@factory/runtime/platform-limits/platform-limits";
import { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { RecipientRateLimiter } from "../../ground/request-limits/recipient-rate-limiter.js";
import { PlatformClientNotices } from "../../oauth-clients/platform-made-clients.js";
import { PasswordResetNotices } from "../../people/passwords/resets/reset-notices.js";
import { PersonalDataErasers } from "../../people/users/personal-data.js";
import { OwnerArrivals } from "../../rights/roles/owners.js";
import { TenantService } from "../../tenants/tenants/tenant.service.js";
import { NotificationTemplateService } from "../notification-templates/notification-template.service.js";
import { tellOfAwaitedMaterial } from "./announcements/awaited-material.js";
import { tellOfClients } from "./announcements/clients-after-reset.js";
import { tellNewOwner, tellOwners } from "./announcements/platform-clients.js";
import { BroadcastService } from "./broadcast/broadcast.service.js";
import { continueBroadcastJob, openBroadcasts } from "./broadcast/continue-broadcast-job.js";
import { ChannelDrivers } from "./delivery/channel-drivers.js";
import { deliveryJobs, queuedNotifications } from "./delivery/deliver-notification-job.js";
import { NotificationDelivery } from "./delivery/notification-delivery.js";
import { eraseNotificationsJob, openErasures } from "./erasure/erase-notifications-job.js";
import { NotificationErasureService } from "./erasure/notification-erasure.service.js";
import { NotificationService } from "./inbox/notification.service.js";
import { ReadMarksService } from "./inbox/read-marks.service.js";
import { UnreadCountService } from "./inbox/unread-count.service.js";
import { NotificationResolver } from "./notification.resolver.js";
import { NotificationPreference } from "./preferences/notification-preference.entity.js";
import { NotificationPreferencesService } from "./preferences/notification-preferences.service.js";
import { NotificationPreferencesResolver } from "./preferences.resolver.js";
import { Notification } from "./record/notification.entity.js";
import { expiredCondition } from "./record/notification.states.js";
import { NotificationErasure } from "./record/notification-erasure.entity.js";
import { NotificationMessage } from "./record/notification-message.entity.js";
import { unreadChannel } from "./record/unread-notice.js";
import { NotificationRequestService } from "./request/notification-request.service.js";
import { unreadCountResolver } from "./unread-count.resolver.js";

export interface NotificationSettings {
  /** Multiplies the limit on recipients in a minute. */
  readonly rateLimitFactor?: number;
  /** The limits that all processes use. Absent: this is the only one. */
  readonly limits?: Pick<PlatformLimits, "budgets">;
  /** How many of a deleted person's notifications one job erases. */
  readonly notificationsErasedAtOnce?: number;
}

/** Notifications to people and systems, the inbox, and the seam by which other slices deliver over further channels. */
export const notifications: SliceModule<NotificationSettings> = {
  slice: "notifications",
  entities: [NotificationMessage, Notification, NotificationPreference, NotificationErasure],
  foreignKeys: {
    "notifications.message_id": {
      to: null,
      why: "Content is inserted with its notifications and kept longer, and a key would cost every row of a broadcast.",
    },
    "notifications.recipient_user_id": {
      to: null,
      why: "A user is never removed as a row, and a key would cost every row of a broadcast.",
    },
    "notification_messages.broadcast_after": { to: null, why: "A position in the list of users." },
    "notification_preferences.user_id": {
      to: null,
      why: "A user is never removed as a row. The deletion of a user erases the preferences.",
    },
    "notification_erasures.user_id": { to: null, why: "A user is never removed as a row." },
    "notifications.subscription_id": { to: null, why: "A row of the integration subgraph." },
  },
  jobs: [...Object.values(deliveryJobs), continueBroadcastJob, eraseNotificationsJob],
  events: [
    "NotificationRequested",
    "NotificationSent",
    "NotificationDelivered",
    "NotificationFailed",
    "NotificationRead",
  ],
  waitingRows: [...queuedNotifications, openBroadcasts, openErasures],
  async start({ settings, database, jobs, cursors, listener, logger, work, consume }, services) {
    const tenants = services.get(TenantService);
    const drivers = services.add(new ChannelDrivers());
    const templates = services.get(NotificationTemplateService);
    const delivery = new NotificationDelivery({ database, jobs, drivers });
    for (const lane of ["Common", "Mail"] as const)
      work(deliveryJobs[lane], (payload, attempt) => delivery.run(payload, attempt, lane), delivery);
    const broadcasts = services.add(new BroadcastService({ database, jobs, tenants }));
    work(continueBroadcastJob, (payload) => broadcasts.continue(payload), maintenance);
    const rate = new RecipientRateLimiter(settings.rateLimitFactor, settings.limits?.budgets);
    services.add(new NotificationRequestService({ database, jobs, tenants, drivers, templates, rate }));
    services.add(new NotificationService(database, cursors));
    services.add(new ReadMarksService(database));
    services.add(new NotificationPreferencesService(database));
    const watch = new StepWatch();
    await watch.start(listener, unreadChannel);
    services.add(new UnreadCountService({ database, watch, logger }));
    const erasure = new NotificationErasureService({ database, jobs, pageSize: settings.notificationsErasedAtOnce });
    work(eraseNotificationsJob, (payload) => erasure.continue(payload), maintenance);
    services.get(PersonalDataErasers).add(erasure.begin);
    consume(tellOfAwaitedMaterial(database, jobs));
    services.get(PlatformClientNotices).add(tellOwners(jobs));
    services.get(OwnerArrivals).add(tellNewOwner(jobs));
    services.get(PasswordResetNotices).add(tellOfClients(jobs));
  },
  resolvers: (get) => [
    new NotificationResolver({
      broadcasts: get(BroadcastService),
      requests: get(NotificationRequestService),
      notifications: get(NotificationService),
      readMarks: get(ReadMarksService),
    }),
    new NotificationPreferencesResolver(get(NotificationPreferencesService)),
    unreadCountResolver(get(UnreadCountService)),
  ],
  types: [foreignEntity("WebhookSubscription", "subscriptionId")],
  links: {
    "Notification.messageId": { to: null, why: "The content of several notifications, which is not shown alone." },
    "NotificationBroadcast.messageId": { to: null, why: "As Notification.messageId." },
    "SentNotifications.messageId": { to: null, why: "As Notification.messageId." },
    "NotificationRecipient.userId": { to: "User" },
    "NotificationPreferences.recipientUserId": { to: "User" },
    "NotificationReadMarks.recipientUserId": { to: "User" },
    "NotificationUnreadCount.recipientUserId": { to: "User" },
    "SentNotifications.notificationId": { to: "Notification" },
    "SentNotifications.notificationIds": { to: "Notification" },
    "NotificationRecipient.subscriptionId": { to: "WebhookSubscription" },
  },
  references(get) {
    const service = get(NotificationService);
    return {
      Notification: {
        id: { prefix: "ntf", field: "notificationId" },
        auth: { scopes: ["notification.read"] },
        resolve: ({ notificationId = "" }, context) => service.findShared(context, notificationId),
      },
    };
  },
  retention: () => [
    { table: "notifications", expired: expiredCondition, order: "created_at" },
    {
      table: "notification_messages",
      expired: "created_at < now() - '181 days'::interval",
      order: "created_at",
    },
  ],
};
