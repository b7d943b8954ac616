import type { CommandTemplates } from "../provider-drivers/command-template.js";

const value = (pointer: string) => ({ $value: pointer });
const addresses = (pointer: string) => ({ $each: pointer, $as: { email: { $item: "" } } });

/** The requests of commands at the vendors of the presets. */
export const presetCommands = {
  sendgrid: {
    SendEmail: {
      method: "POST",
      path: "/v3/mail/send",
      encoding: "json",
      body: {
        personalizations: [{ to: addresses("/to"), cc: addresses("/cc"), bcc: addresses("/bcc") }],
        from: { email: value("/from") },
        subject: value("/subject"),
        content: [
          { $when: "/text", $then: { type: "text/plain", value: value("/text") } },
          { $when: "/html", $then: { type: "text/html", value: value("/html") } },
        ],
        custom_args: { commandId: value("/commandId") },
      },
      vendorId: "header:x-message-id",
    },
  },
} as const satisfies Readonly<Record<string, CommandTemplates>>;
