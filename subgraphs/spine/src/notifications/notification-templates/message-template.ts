import type { VariableType } from "@factory/schema/vocabularies/notifications";
/** A value that a template needs, or uses where it is there. */
export interface TemplateVariable {
  readonly type: VariableType;
  readonly optional?: boolean;
  /** The value names in each list item. Absent or empty: the items are values themselves. */
  readonly members?: readonly string[];
}

/** A template's texts in one language, as `readTemplate` reads them. */
export interface LocalizedTexts {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The link's label, if the template has one. */
  readonly link?: string;
}

/** A message whose HTML is made from its texts, so that a template never contains HTML. */
export interface MessageTemplate {
  readonly key: string;
  readonly variables: Readonly<Record<string, TemplateVariable>>;
  /** The variable with the link's address. Without an address there is not a link. */
  readonly linkTo?: string;
  /** By language tag in its canonical form. */
  readonly texts: Readonly<Record<string, LocalizedTexts>>;
  /** The language where every fallback ends; `en` if absent. */
  readonly fallback?: string;
}
