import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { builtInTemplates } from "./built-in-templates.js";
import type { LocalizedTexts, MessageTemplate, TemplateVariable } from "./message-template.js";
import {
  NotificationTemplate,
  type StoredText,
  type StoredVariable,
  type TemplateContent,
} from "./notification-template.entity.js";
import type { NotificationTemplateType } from "./notification-template.type.js";

const shownMembers = ["key", "variables", "linkVariable", "texts", "version", "updatedAt", "updatedBy"] as const;
type Shown = (typeof shownMembers)[number];

export const templateColumns = columnsOf(NotificationTemplate, shownMembers);

export type TemplateRow = RowOf<NotificationTemplate, Shown>;
/** In a list, a built-in template has its key only. */
export type ListedTemplateRow = TemplateRow | { key: string; version: null };

export const readTemplateRow = rowReader(NotificationTemplate);

export function templateRowView(row: ListedTemplateRow): NotificationTemplateType {
  if (row.version !== null) return templateView(readTemplateRow(row));
  const builtIn = builtInTemplates.get(row.key);
  if (!builtIn) throw new Error(`No template is built in with the key ${row.key}.`);
  return builtInView(builtIn);
}

export const templateView = (template: RecordOf<NotificationTemplate, Shown>) => ({
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

/** A tenant's template in the form in which messages are composed. */
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
