/** A value that a template needs, or uses where it is there. */
export interface TemplateVariable {
  readonly type: "text" | "number" | "address";
  readonly optional?: true;
}

/** The texts of a template in one language, as `readTemplate` reads them. */
export interface LocalizedTexts {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The label of the link, if the template has one. */
  readonly link?: string;
}

/** A message whose HTML is made from its texts, so that a template never contains HTML. */
export interface MessageTemplate {
  readonly key: string;
  readonly variables: Readonly<Record<string, TemplateVariable>>;
  /** The variable with the address of the link. Without an address there is not a link. */
  readonly linkTo?: string;
  /** By language tag. Each template has `en`, where every fallback ends. */
  readonly texts: Readonly<Record<string, LocalizedTexts>> & { readonly en: LocalizedTexts };
}
