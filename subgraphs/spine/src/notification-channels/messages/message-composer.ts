import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { TenantSettings } from "../../configuration/tenant-settings.js";
import { builtInTemplates } from "../../notification-templates/built-in-templates.js";
import { type ComposedMessage, composeMessage, plainBody } from "../../notification-templates/compose-message.js";
import { localeChain } from "../../notification-templates/locale-chain.js";
import type { MessageTemplate } from "../../notification-templates/message-template.js";
import { plainLines, plainText } from "../../notification-templates/plain-text.js";
import type { NotificationContent } from "../../notifications/delivery/channel-driver.js";

/** A message with all of its texts in one, without its title. */
export interface ReadableMessage extends ComposedMessage {
  readonly body: string;
  /** The title and the body, for channels without a title. */
  readonly text: string;
}

type ContentOfTenant = NotificationContent & { readonly tenant: Tenant };

/** Makes the message of a notification: from its template in the language of the recipient, or from its own texts. */
export class MessageComposer {
  readonly #settings: TenantSettings;

  constructor(settings: TenantSettings) {
    this.#settings = settings;
  }

  async compose(content: ContentOfTenant): Promise<ReadableMessage> {
    const { templateKey, data } = content;
    const template = templateKey === null ? undefined : builtInTemplates.get(templateKey);
    if (template) return this.fromTemplate(content, template, data ?? {});
    return readable(plainMessage(content, await this.#locales(content)));
  }

  /** The message of another template than that of the content, in the same language. */
  async fromTemplate(
    content: ContentOfTenant,
    template: MessageTemplate,
    data: Readonly<Record<string, unknown>>,
  ): Promise<ReadableMessage> {
    return readable(composeMessage(template, data, await this.#locales(content)));
  }

  async #locales({ tenant, locale }: ContentOfTenant): Promise<(string | null)[]> {
    return [locale, await this.#settings.get(tenant, "notifications.locale")];
  }
}

function plainMessage({ title, body }: NotificationContent, locales: readonly (string | null)[]): ComposedMessage {
  return {
    locale: localeChain(...locales)[0] ?? "en",
    title: plainText(title ?? ""),
    paragraphs: plainLines(body ?? "")
      .split(/\n{2,}/)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== ""),
    link: undefined,
  };
}

function readable(message: ComposedMessage): ReadableMessage {
  const body = plainBody(message);
  return { ...message, body, text: [message.title, body].filter((part) => part !== "").join("\n\n") };
}
