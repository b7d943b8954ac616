import { keyStatement } from "@factory/runtime/db/key-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import { longWork } from "@factory/runtime/threads/long-work";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { builtInTemplates } from "./built-in-templates.js";
import { dataProblems } from "./check-data.js";
import { type ComposedMessage, composition, plainBody } from "./compose-message.js";
import { localeChain } from "./locale-chain.js";
import type { MessageTemplate } from "./message-template.js";
import type { PreviewNotificationTemplateInput } from "./notification-template.input.js";
import type {
  NotificationTemplateConnection,
  NotificationTemplatePreviewType,
  NotificationTemplateType,
} from "./notification-template.type.js";
import {
  builtInView,
  type ListedTemplateRow,
  messageTemplate,
  readTemplateRow,
  type TemplateRow,
  templateColumns,
  templateRowView,
} from "./notification-template.view.js";
import { sortedTemplates } from "./template-list.js";
import { TemplateTextError } from "./template-text.js";

const oneTemplate = keyStatement(
  "one_notification_template",
  `select ${templateColumns} from notification_templates where tenant_id = scope.tenant and key = $2`,
  "text",
);

/** The template parts and items that one rate limit point pays for. */
const stepsPerPoint = 1000;

/** A template with its values, and the language that is asked for. */
interface TemplateCall {
  readonly key: string;
  readonly locale: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Finds, lists and renders a tenant's templates: the platform's and its own. */
export class NotificationTemplateService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #settings: TenantSettings;

  constructor(database: Database, cursors: CursorSeal, settings: TenantSettings) {
    this.#database = database;
    this.#cursors = cursors;
    this.#settings = settings;
  }

  /** Throws NOT_FOUND. */
  async get(context: RequestContext, key: string): Promise<NotificationTemplateType> {
    const row = await this.#database.reader.row<TemplateRow>(oneTemplate, tenantOf(context), key);
    if (row) return templateRowView(row);
    const builtIn = builtInTemplates.get(key);
    if (builtIn) return builtInView(builtIn);
    throw unknownTemplate();
  }

  async list(context: RequestContext, request: PageRequest<never>): Promise<NotificationTemplateConnection> {
    const tenant = tenantOf(context);
    const builtIns = [...builtInTemplates.keys()];
    const page = sortedTemplates.page(this.#cursors, { tenantId: tenant.tenantId }, request, { builtIns });
    const rows = await this.#database.reader.rows<ListedTemplateRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map(templateRowView));
  }

  /** The template that the tenant's notifications with this key have. */
  async find(tenant: Tenant, key: string): Promise<MessageTemplate | undefined> {
    const row = await this.#database.reader.row<TemplateRow>(oneTemplate, tenant, key);
    return row ? messageTemplate(key, readTemplateRow(row)) : builtInTemplates.get(key);
  }

  /** Throws NOT_FOUND, or PARAMETERS_INVALID as a notification with these values would. */
  async preview(
    context: RequestContext,
    key: string,
    { locale = null, data }: PreviewNotificationTemplateInput,
  ): Promise<NotificationTemplatePreviewType> {
    const message = await this.render(context, { key, locale, data: data ?? {} });
    if (!message) throw unknownTemplate();
    return { ...message, link: message.link ?? null, body: plainBody(message) };
  }

  /**
   * A template's message; undefined if the tenant has none with the key. Throws PARAMETERS_INVALID with pointers below
   * `/input` where the values do not fit the template, or make it too long.
   */
  async render(context: RequestContext, { key, locale, data }: TemplateCall): Promise<ComposedMessage | undefined> {
    const tenant = tenantOf(context);
    const template = await this.find(tenant, key);
    if (!template) return undefined;
    const problems = dataProblems(template, data);
    if (locale !== null && localeChain(locale).length === 0)
      problems.push({ pointer: "/locale", code: "FORMAT", detail: "The value must be a language tag (BCP 47)." });
    if (problems.length > 0) throw invalid("The data does not fit the template. See errors for each value.", problems);
    try {
      const work = composition(template, data, await this.locales(tenant, locale));
      const { message, steps } = await longWork.run(tenant.tenantId, work);
      context.points += Math.floor(steps / stepsPerPoint);
      return message;
    } catch (error) {
      if (!(error instanceof TemplateTextError)) throw error;
      throw invalid("The data makes the message too long.", [
        { pointer: "/data", code: "TOO_LONG", detail: error.message },
      ]);
    }
  }

  /** A message's languages, the first one first. */
  async locales(tenant: Tenant, locale: string | null): Promise<(string | null)[]> {
    return [locale, await this.#settings.get(tenant, "notifications.locale")];
  }
}

function invalid(detail: string, problems: ReturnType<typeof dataProblems>): DomainError {
  const errors = problems.map(({ pointer, ...problem }) => ({ pointer: `/input${pointer}`, ...problem }));
  return new DomainError("PARAMETERS_INVALID", { detail, errors });
}

const unknownTemplate = () =>
  new DomainError("NOT_FOUND", {
    detail: "Neither the tenant nor the platform has a notification template with this key.",
  });
