import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { NotificationChannel, NotificationPriority } from "@factory/schema/vocabularies/notifications";
import type { DigestWindow, NotificationContent, NotificationRecipient } from "../delivery/channel-driver.js";
import type { NotificationRecipientInput, SendNotificationInput } from "./send-notification.input.js";

/** A request's content and kind, whoever gets it. */
export interface RequestedContent extends NotificationContent {
  readonly channel: NotificationChannel;
  readonly category: string;
  readonly priority: NotificationPriority;
  readonly digest: DigestWindow | null;
}

/** A request whose members fit each other. */
export interface NotificationRequest {
  readonly content: RequestedContent;
  readonly recipients: readonly NotificationRecipient[];
}

type ContentInput = Omit<SendNotificationInput, "recipient" | "recipients" | "channel">;
type Address = keyof NotificationRecipient;

const maxDataLength = 32 * 1024;
const defaultCategory = "general";
/** The channels in which many notifications can become one message. */
const digestChannels = ["Email", "Sms"];

/** The addresses with which each channel reaches a recipient. */
const addressesOf: Readonly<Record<NotificationChannel, readonly Address[]>> = {
  InApp: ["userId"],
  Email: ["userId", "email"],
  Sms: ["phone"],
  Webhook: ["subscriptionId"],
};

/** Checks a request by itself, without its tenant. Throws PARAMETERS_INVALID or VALIDATION_FAILED with pointers. */
export function notificationRequest(input: SendNotificationInput): NotificationRequest {
  const content = requestedContent(input.channel, input);
  return { content, recipients: requestedRecipients(input, content.channel) };
}

/** Checks the content in a request or broadcast. */
export function requestedContent(channel: NotificationChannel, input: ContentInput): RequestedContent {
  const { title = null, body = null, templateKey = null, data = null, locale = null, digest = null } = input;
  const priority = input.priority ?? "Normal";
  const content = { title, body, templateKey, data, locale };
  requireNone([...contentProblems(content), ...digestProblems(channel, digest)]);
  return {
    ...content,
    digest,
    category: input.category ?? defaultCategory,
    channel: channel as NotificationChannel,
    priority: priority as NotificationPriority,
  };
}

const digestProblems = (channel: string, digest: DigestWindow | null): FieldError[] =>
  digest === null || digestChannels.includes(channel)
    ? []
    : [problem("/input/digest", "NOT_ALLOWED", `Only ${digestChannels.join(" and ")} have digests.`)];

function contentProblems({ title, body, templateKey, data, locale }: NotificationContent): FieldError[] {
  const errors: FieldError[] = [];
  if ((body === null) === (templateKey === null))
    errors.push(problem("/input/body", "REQUIRED", "Send either a body or a templateKey."));
  if (templateKey !== null && title !== null)
    errors.push(problem("/input/title", "NOT_ALLOWED", "A template has a title of its own."));
  if (templateKey === null && locale !== null)
    errors.push(problem("/input/locale", "NOT_ALLOWED", "Only a template has languages."));
  if (data !== null && Buffer.byteLength(JSON.stringify(data)) > maxDataLength)
    errors.push(problem("/input/data", "TOO_LONG", "Must have at most 32 KiB as JSON."));
  return errors;
}

function requestedRecipients(input: SendNotificationInput, channel: NotificationChannel): NotificationRecipient[] {
  const { recipient, recipients } = input;
  if ((recipient == null) === (recipients == null))
    throw invalid([problem("/input/recipients", "REQUIRED", "Send either recipient or recipients.")]);
  const inputs = recipients ?? (recipient ? [recipient] : []);
  const pointerOf = (at: number) => (recipients ? `/input/recipients/${at}` : "/input/recipient");
  const errors: FieldError[] = [];
  const seenKeys = new Set<string>();
  const checkedRecipients = inputs.map((recipientInput, at) => {
    const checkedRecipient = recipientOf(recipientInput);
    const [address, ...others] = addressesIn(checkedRecipient);
    const allowedAddresses = addressesOf[channel];
    if (address === undefined || others.length > 0 || !allowedAddresses.includes(address))
      errors.push(
        problem(pointerOf(at), "REQUIRED", `A recipient of the channel ${channel} has ${oneOf(allowedAddresses)}.`),
      );
    const key = `${address} ${address && mailAddressKey(checkedRecipient[address] ?? "")}`;
    if (seenKeys.has(key)) errors.push(problem(pointerOf(at), "DUPLICATE", "This recipient is already in the list."));
    seenKeys.add(key);
    return checkedRecipient;
  });
  requireNone(errors);
  return checkedRecipients;
}

const recipientOf = ({ userId, email, phone, subscriptionId }: NotificationRecipientInput): NotificationRecipient => ({
  userId: userId ?? null,
  email: email ?? null,
  phone: phone ?? null,
  subscriptionId: subscriptionId ?? null,
});

const addressesIn = (recipient: NotificationRecipient) =>
  (Object.keys(recipient) as Address[]).filter((address) => recipient[address] !== null);

const oneOf = (names: readonly string[]) =>
  names.length === 1 ? `the member ${names[0]}, and no other one` : `one of the members ${names.join(" and ")}`;

const problem = (pointer: string, code: string, detail: string): FieldError => ({ pointer, code, detail });

function requireNone(errors: FieldError[]): void {
  if (errors.length > 0) throw invalid(errors);
}

const invalid = (errors: FieldError[]) =>
  new DomainError("VALIDATION_FAILED", {
    detail: "The members of the notification do not fit each other. See errors for each of them.",
    errors,
  });
