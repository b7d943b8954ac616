import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { type LongWork, longWork } from "@factory/runtime/threads/long-work";
import { type ComposedMessage, composition, plainBody } from "../../notification-templates/compose-message.js";
import { localeChain } from "../../notification-templates/locale-chain.js";
import type { MessageTemplate } from "../../notification-templates/message-template.js";
import type { NotificationTemplateService } from "../../notification-templates/notification-template.service.js";
import { plainLines, plainText } from "../../notification-templates/plain-text.js";
import { TemplateTextError } from "../../notification-templates/template-text.js";
import type { NotificationContent } from "../../notifications/delivery/channel-driver.js";

/** A message with all its texts in one, without its title. */
export interface ReadableMessage extends ComposedMessage {
  readonly body: string;
  /** The title and the body, for channels without a title. */
  readonly text: string;
}

type ContentOfTenant = NotificationContent & { readonly tenant: Tenant };

type Data = Readonly<Record<string, unknown>>;

interface Asked {
  readonly data: Data;
  readonly locales: readonly (string | null)[];
}

/**
 * Makes a notification's message: from its template in the recipient's language, or from its own texts. A template is
 * rendered as the tenant's long work.
 */
export class MessageComposer {
  readonly #templates: NotificationTemplateService;
  readonly #work: Pick<LongWork, "run">;

  constructor(templates: NotificationTemplateService, work: Pick<LongWork, "run"> = longWork) {
    this.#templates = templates;
    this.#work = work;
  }

  /**
   * The message has the texts that were stored with the request. Its template is used only if it still gives these texts: it
   * may have changed since then.
   */
  async compose(content: ContentOfTenant): Promise<ReadableMessage> {
    const { tenant, templateKey, data } = content;
    const locales = await this.#locales(content);
    const template = templateKey === null ? undefined : await this.#templates.find(tenant, templateKey);
    const message = template && (await this.#composedAgain(content, template, { data: data ?? {}, locales }));
    const isSame = message?.title === content.title && message?.body === content.body;
    return message && isSame ? message : readable(plainMessage(content, locales));
  }

  /** The message from another template than the content's, in the same language. */
  async fromTemplate(content: ContentOfTenant, template: MessageTemplate, data: Data): Promise<ReadableMessage> {
    return this.#composed(content, template, { data, locales: await this.#locales(content) });
  }

  #locales({ tenant, locale }: ContentOfTenant): Promise<(string | null)[]> {
    return this.#templates.locales(tenant, locale);
  }

  /** Undefined where the template has become too long for the values. */
  async #composedAgain(content: ContentOfTenant, template: MessageTemplate, request: Asked) {
    try {
      return await this.#composed(content, template, request);
    } catch (error) {
      if (error instanceof TemplateTextError) return undefined;
      throw error;
    }
  }

  async #composed({ tenant }: ContentOfTenant, template: MessageTemplate, { data, locales }: Asked) {
    const { message } = await this.#work.run(tenant.tenantId, composition(template, data, locales));
    return readable(message);
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
