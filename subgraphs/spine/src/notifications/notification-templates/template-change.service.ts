import { isDeepStrictEqual } from "node:util";
import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { type Preconditions, requirePreconditions } from "@factory/runtime/input-validation/preconditions";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { builtInTemplates } from "./built-in-templates.js";
import { checkedContent } from "./checked-content.js";
import { NotificationTemplate, type TemplateContent } from "./notification-template.entity.js";
import type { SetNotificationTemplateInput } from "./notification-template.input.js";
import type { NotificationTemplateType, SetNotificationTemplateType } from "./notification-template.type.js";
import { contentOf, templateView } from "./notification-template.view.js";

const maxTemplates = 200;
const keyForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const lockTemplates = {
  name: "notification_templates_lock",
  text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
};

const countTemplates = {
  name: "notification_templates_count",
  text: "select count(*)::int as count from notification_templates where tenant_id = $1",
};

/** Sets and deletes a tenant's templates. */
export class TemplateChangeService {
  readonly #database: Database;
  readonly #settings: TenantSettings;

  constructor(database: Database, settings: TenantSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /** Creates or replaces a template. One that stays the same keeps its version, and no event is recorded. */
  async set(
    context: RequestContext,
    key: string,
    input: SetNotificationTemplateInput,
    preconditions: Preconditions,
  ): Promise<SetNotificationTemplateType> {
    if (!keyForm.test(key)) throw malformedKey();
    const { subject: updatedBy } = principalOf(context);
    return idempotentMutation(this.#database, context, {
      field: "setNotificationTemplate",
      arguments: { key, input, ...preconditions },
      prepare: async () => checkedContent(input, await this.#settings.get(tenantOf(context), "notifications.locale")),
      commit: async (transaction, content) => {
        const template = await lockedTemplate(transaction, key, preconditions);
        if (template && isDeepStrictEqual(contentOf(template), content))
          return { ...templateView(template), created: false };
        if (!template) await requireRoom(transaction);
        return { ...write(transaction, template, { key, content, updatedBy }), created: !template };
      },
    });
  }

  /** A built-in template with the key is used again. Throws NOT_FOUND. */
  async delete(context: RequestContext, key: string, preconditions: Preconditions): Promise<NotificationTemplateType> {
    return idempotentMutation(this.#database, context, {
      field: "deleteNotificationTemplate",
      arguments: { key, ...preconditions },
      commit: async (transaction) => {
        const template = await lockedTemplate(transaction, key, preconditions);
        if (!template) throw notOwn(key);
        transaction.em.remove(template);
        const { tenantId } = transaction.tenant;
        transaction.record({
          type: "NotificationTemplateDeleted",
          subject: `notification-templates/${key}`,
          data: {
            ...{ tenantId, key, version: template.version, isBuiltInUsed: builtInTemplates.has(key) },
            ...{ deletedAt: new Date().toISOString(), deletedBy: principalOf(context).subject },
          },
        });
        return templateView(template);
      },
    });
  }
}

/** The tenant's template, while no other change to its templates runs. */
async function lockedTemplate(
  { em, tenant, execute }: Transaction,
  key: string,
  preconditions: Preconditions,
): Promise<NotificationTemplate | undefined> {
  const { tenantId } = tenant;
  await execute(lockTemplates, [hashedLocks.notificationTemplates(tenantId)]);
  const template = (await em.findOne(NotificationTemplate, { tenantId, key })) ?? undefined;
  requirePreconditions(preconditions, template?.version ?? (builtInTemplates.has(key) ? 0 : undefined));
  return template;
}

interface NewContent {
  readonly key: string;
  readonly content: TemplateContent;
  readonly updatedBy: string;
}

function write(
  { em, tenant, record }: Transaction,
  template: NotificationTemplate | undefined,
  { key, content, updatedBy }: NewContent,
): ReturnType<typeof templateView> {
  const { tenantId } = tenant;
  const changedColumns = { ...content, version: (template?.version ?? 0) + 1, updatedAt: new Date(), updatedBy };
  const writtenTemplate = template
    ? em.assign(template, changedColumns)
    : em.create(NotificationTemplate, { tenantId, key, ...changedColumns });
  em.persist(writtenTemplate);
  record({
    type: "NotificationTemplateUpdated",
    subject: `notification-templates/${key}`,
    data: {
      ...{ tenantId, key, change: template ? "Updated" : "Created", version: changedColumns.version },
      locales: content.texts.map(({ locale }) => locale),
      ...{ updatedAt: changedColumns.updatedAt.toISOString(), updatedBy },
    },
  });
  return templateView(writtenTemplate);
}

async function requireRoom({ execute, tenant }: Transaction): Promise<void> {
  const [row] = await execute<{ count: number }>(countTemplates, [tenant.uuid]);
  if (!row || row.count < maxTemplates) return;
  throw new DomainError("CONFLICT", {
    detail: `The tenant has ${maxTemplates} notification templates, which is the limit. Delete some of them first.`,
    limit: maxTemplates,
  });
}

const notOwn = (key: string) =>
  new DomainError("NOT_FOUND", {
    detail: builtInTemplates.has(key)
      ? "The tenant has no template of its own with this key. The template of the platform cannot be deleted."
      : "The tenant has no notification template with this key. PUT creates one.",
  });

const malformedKey = () =>
  new DomainError("VALIDATION_FAILED", {
    detail: "The key of the notification template is not well formed. See errors.",
    errors: [
      {
        pointer: "/key",
        code: "FORMAT",
        detail: "Must have 1 to 100 letters, digits, dots, underscores and hyphens, and begin with a letter or digit.",
      },
    ],
  });
