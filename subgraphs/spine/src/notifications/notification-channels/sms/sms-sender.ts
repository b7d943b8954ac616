import { beginning } from "../../notification-templates/plain-text.js";
import { deliverByCommand } from "../commands/command-delivery.js";
import type { MessageSender } from "../messages/message-sender.js";

/** The limit in the command SendSms. */
const maxCharacters = 1600;

/** Sends text messages by the command SendSms, through a tenant's connection with the capability sms.send. */
export const smsSender: MessageSender = {
  async refusal({ recipient }) {
    return recipient.phone === null ? "RECIPIENT_WITHOUT_ADDRESS" : undefined;
  },
  way: async () => ({
    async send(delivery, { text }) {
      const data = { to: delivery.notification.recipient.phone, text: beginning(text, maxCharacters) };
      await deliverByCommand(delivery, { type: "SendSms", data });
    },
  }),
};
