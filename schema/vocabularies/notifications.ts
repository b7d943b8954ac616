import { type ValueOf, vocabulary } from "./vocabulary.js";

export const notificationStatuses = vocabulary("NotificationStatus", "The states of a notification.", {
  Queued: "The notification waits to be sent.",
  Sent: "The channel has taken the notification.",
  Delivered: "The channel has reported that the notification has arrived.",
  Failed: "The notification has not arrived. Its failureReason says why.",
  Read: "The recipient has read the notification.",
});
export type NotificationStatus = ValueOf<typeof notificationStatuses>;

export const notificationChannels = vocabulary("NotificationChannel", "The channels of notifications.", {
  InApp: "The inbox of a user.",
  Email: "A mail.",
  Sms: "A text message.",
  Webhook: "A webhook subscription.",
});
export type NotificationChannel = ValueOf<typeof notificationChannels>;

export const notificationPriorities = vocabulary("NotificationPriority", "The priorities of a notification.", {
  Low: "The notification may wait for others.",
  Normal: "The usual priority.",
  High: "The notification is sent before others.",
});
export type NotificationPriority = ValueOf<typeof notificationPriorities>;

export const variableTypes = vocabulary(
  "NotificationTemplateVariableType",
  "The types of values in a notification template.",
  {
    text: "A text.",
    number: "A number.",
    boolean: "True or false, which decides about a section.",
    address: "An address of the web.",
    list: "A list, whose items repeat a section.",
  },
);
export type VariableType = ValueOf<typeof variableTypes>;
