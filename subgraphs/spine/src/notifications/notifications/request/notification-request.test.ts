import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import { notificationRequest } from "./notification-request.js";
import type { NotificationRecipientInput, SendNotificationInput } from "./send-notification.input.js";

const userId = newId("usr");
const input = { channel: "InApp" as const, recipient: { userId }, body: "It has arrived." };

/** A refusal's pointers and codes; `accepted` without one. */
function problemsOf(changes: Partial<SendNotificationInput>): string[] | "accepted" {
  try {
    notificationRequest({ ...input, ...changes });
    return "accepted";
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return (error.facts.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe("a request for notifications", () => {
  it("gets the defaults of its optional members", () => {
    expect(notificationRequest(input)).toEqual({
      content: {
        ...{ channel: "InApp", title: null, body: "It has arrived.", templateKey: null, data: null, locale: null },
        ...{ category: "general", priority: "Normal", digest: null },
      },
      recipients: [{ userId, email: null, phone: null, subscriptionId: null }],
    });
  });

  it.each<[string, Partial<SendNotificationInput>, string[]]>([
    ["a body and a templateKey", { templateKey: "welcome" }, ["/input/body REQUIRED"]],
    ["neither a body nor a templateKey", { body: null }, ["/input/body REQUIRED"]],
    [
      "a title beside a templateKey",
      { body: null, templateKey: "welcome", title: "Hello" },
      ["/input/title NOT_ALLOWED"],
    ],
    ["a language without a template", { locale: "de" }, ["/input/locale NOT_ALLOWED"]],
    ["data of more than 32 KiB", { data: { text: "ü".repeat(17_000) } }, ["/input/data TOO_LONG"]],
    ["no recipient", { recipient: null }, ["/input/recipients REQUIRED"]],
    ["recipient beside recipients", { recipients: [{ userId }] }, ["/input/recipients REQUIRED"]],
    ["an empty recipient", { recipient: {} }, ["/input/recipient REQUIRED"]],
    [
      "a recipient with two addresses",
      { channel: "Email", recipient: { userId, email: "ada@example.com" } },
      ["/input/recipient REQUIRED"],
    ],
    [
      "an address that is not one of the channel",
      { channel: "Sms", recipient: { email: "ada@example.com" } },
      ["/input/recipient REQUIRED"],
    ],
    [
      "the same recipient twice",
      { recipient: null, recipients: [{ userId }, { userId }] },
      ["/input/recipients/1 DUPLICATE"],
    ],
  ])("is refused with %s", (_, changes, problems) => {
    expect(problemsOf(changes)).toEqual(problems);
  });

  it.each<[NotificationChannel, NotificationRecipientInput]>([
    ["Email", { email: "ada@example.com" }],
    ["Email", { userId }],
    ["Sms", { phone: "+4930123456" }],
    ["Webhook", { subscriptionId: newId("whs") }],
  ])("is accepted in the channel %s with %o", (channel, recipient) => {
    expect(problemsOf({ channel, recipient })).toBe("accepted");
  });
});
