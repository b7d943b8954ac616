import { builtInTemplates } from "./built-in-templates.js";
import type { LocalizedTexts, MessageTemplate, TemplateVariable } from "./message-template.js";
import type {
  NotificationTemplate,
  StoredText,
  StoredVariable,
  TemplateContent,
} from "./notification-template.entity.js";
import type { NotificationTemplateType } from "./notification-template.type.js";

export const templateColumns = "key, variables, link_variable, texts, version, updated_at, updated_by";

/** A row of `notification_templates` as PostgreSQL returns it. In a list, a built-in template has its key only. */
export interface TemplateRow {
  key: string;
  variables: StoredVariable[] | null;
  link_variable: string | null;
  texts: StoredText[] | null;
  version: number | null;
  updated_at: Date | null;
  updated_by: string | null;
}

export function templateRowView(row: TemplateRow): NotificationTemplateType {
  const { key, variables, texts, version } = row;
  const builtIn = builtInTemplates.get(key);
  if (version === null && builtIn) return builtInView(builtIn);
  return {
    ...{ key, isBuiltIn: false, variables: variables ?? [], linkVariable: row.link_variable, texts: texts ?? [] },
    ...{ version: version ?? 0, updatedAt: row.updated_at?.toISOString() ?? null, updatedBy: row.updated_by },
  };
}

export const templateView = (template: NotificationTemplate) => ({
  ...contentOf(template),
  key: template.key,
  isBuiltIn: false,
  version: template.version,
  updatedAt: template.updatedAt.toISOString(),
  updatedBy: template.updatedBy,
});

/** The members that a tenant sets. */
export const contentOf = ({ variables, linkVariable, texts }: TemplateContent): TemplateContent => ({
  variables,
  linkVariable,
  texts,
});

export const builtInView = ({ key, variables, linkTo, texts }: MessageTemplate): NotificationTemplateType => ({
  ...{ key, isBuiltIn: true, linkVariable: linkTo ?? null, version: 0, updatedAt: null, updatedBy: null },
  variables: Object.entries(variables).map(([name, { type, optional = false, members = [] }]) => ({
    ...{ name, type, isOptional: optional, members },
  })),
  texts: Object.entries(texts).map(([locale, { subject, paragraphs, link }]) => ({
    ...{ locale, subject, paragraphs, linkLabel: link ?? null },
  })),
});

/** The template of a tenant in the form in which messages are composed. */
export function messageTemplate(key: string, { variables, linkVariable, texts }: TemplateContent): MessageTemplate {
  const [first] = texts;
  const hasEnglish = texts.some(({ locale }) => locale === "en");
  return {
    key,
    variables: variablesOf(variables),
    texts: Object.fromEntries(texts.map((text) => [text.locale, localizedTexts(text)])),
    ...(linkVariable === null ? {} : { linkTo: linkVariable }),
    ...(hasEnglish || !first ? {} : { fallback: first.locale }),
  };
}

export const variablesOf = (variables: readonly StoredVariable[]): Record<string, TemplateVariable> =>
  Object.fromEntries(
    variables.map(({ name, type, isOptional, members }) => [name, { type, optional: isOptional, members }]),
  );

const localizedTexts = ({ subject, paragraphs, linkLabel }: StoredText): LocalizedTexts => ({
  ...{ subject, paragraphs },
  ...(linkLabel === null ? {} : { link: linkLabel }),
});
