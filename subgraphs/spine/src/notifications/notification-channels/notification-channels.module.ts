import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "../../ground/http-endpoints/http-routes.js";
import { type MailSettings, openMailTransport } from "../../ground/mail/mail-transport.js";
import { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { NotificationTemplateService } from "../notification-templates/notification-template.service.js";
import { ChannelDrivers } from "../notifications/delivery/channel-drivers.js";
import { vendorAnswers } from "./commands/vendor-answers.js";
import { expiredMember, NotificationDigestMember } from "./digest/digest-member.entity.js";
import { Digests, settleThoseBehind } from "./digest/digests.js";
import { expiredDigest, NotificationDigest } from "./digest/notification-digest.entity.js";
import { EmailSender } from "./email/email-sender.js";
import { MessageDriver } from "./message-driver.js";
import { AttemptSchedule, type AttemptTimes } from "./messages/attempt-schedule.js";
import { MessageComposer } from "./messages/message-composer.js";
import type { NotificationTargets } from "./messages/notification-targets.js";
import { patientDriver } from "./patient-driver.js";
import { smsSender } from "./sms/sms-sender.js";
import { HourlySlots } from "./throttle/hourly-slots.js";
import { expiredSlot, NotificationSlot } from "./throttle/notification-slot.entity.js";
import { RecipientThrottle } from "./throttle/recipient-throttle.js";
import { unsubscribeEndpoint } from "./unsubscribe/unsubscribe-endpoint.js";
import { UnsubscribeLinks } from "./unsubscribe/unsubscribe-links.js";
import { unsubscribePath } from "./unsubscribe/unsubscribe-path.js";
import { UnsubscribedAddress } from "./unsubscribe/unsubscribed-address.entity.js";
import { UnsubscribedAddresses } from "./unsubscribe/unsubscribed-addresses.js";
import { undeliveredWebhooks } from "./webhook/undelivered-webhooks.js";
import { webhookDriver } from "./webhook/webhook-driver.js";

export interface NotificationChannelSettings {
  /** The platform's absolute URL, without a trailing slash. Links in mails begin with it. */
  readonly issuer: string;
  readonly masterKeys: MasterKeys;
  /** The platform's mail server, for tenants without a suitable connection. */
  readonly mail?: MailSettings | undefined;
  /** Asks integration for connections and webhook subscriptions. Without it tenants have neither. */
  readonly notificationTargets?: NotificationTargets;
  /** The mails that one tenant may send in an hour by the platform's mail server; 1000 if absent. */
  readonly platformMailsPerHour?: number;
  /** When deliveries are tried again. The default is a day, with pauses from 30 s to an hour. */
  readonly notificationTimes?: AttemptTimes;
}

const noTargets: NotificationTargets = {
  hasConnection: async () => false,
  subscription: async () => undefined,
};

/** Delivers notifications by mail, text message and webhook, and lets the recipients unsubscribe from mails. */
export const notificationChannels: SliceModule<NotificationChannelSettings> = {
  slice: "notification-channels",
  entities: [UnsubscribedAddress, NotificationSlot, NotificationDigest, NotificationDigestMember],
  foreignKeys: {
    "notification_slots.notification_id": { to: null, why: "The slot is deleted much earlier than its notification." },
    "notification_digest_members.notification_id": { to: null, why: "The member is deleted much earlier." },
    "notification_digest_members.digest_id": {
      to: null,
      why: "The digest is deleted a day later than its members began.",
    },
  },
  start({ settings, database, jobs, logger, consume, onClose }, services) {
    const { issuer, masterKeys, mail, notificationTargets: targets = noTargets } = settings;
    const schedule = new AttemptSchedule(settings.notificationTimes);
    // a separate transport, so that notifications never keep invitations waiting
    const transport = mail && openMailTransport(mail, logger);
    if (transport) onClose(() => transport.close());
    const tenantSettings = services.get(TenantSettings);
    const composer = new MessageComposer(services.get(NotificationTemplateService));
    const links = new UnsubscribeLinks(masterKeys, issuer);
    const unsubscribedAddresses = new UnsubscribedAddresses(database);
    const drivers = services.get(ChannelDrivers);
    const slots = new HourlySlots(database);
    const { platformMailsPerHour = 1000 } = settings;
    const email = new EmailSender({
      targets,
      links,
      unsubscribed: unsubscribedAddresses,
      transport,
      schedule,
      slots,
      platformMailsPerHour,
    });
    const messages = {
      composer,
      throttle: new RecipientThrottle(slots, tenantSettings),
      digests: new Digests(database),
    };
    drivers.register("Email", patientDriver(new MessageDriver({ ...messages, sender: email }), schedule));
    drivers.register("Sms", new MessageDriver({ ...messages, sender: smsSender }));
    drivers.register("Webhook", patientDriver(webhookDriver(targets), schedule));
    drivers.whenAbandoned(settleThoseBehind);
    services
      .get(HttpRoutes)
      .add(unsubscribePath, unsubscribeEndpoint({ issuer, database, links, addresses: unsubscribedAddresses, logger }));
    consume(vendorAnswers(database, jobs));
    consume(undeliveredWebhooks(database));
  },
  retention: () => [
    { table: "notification_slots", expired: expiredSlot, order: "due_at" },
    { table: "notification_digests", expired: expiredDigest, order: "closes_at" },
    { table: "notification_digest_members", expired: expiredMember, order: "joined_at" },
  ],
};
