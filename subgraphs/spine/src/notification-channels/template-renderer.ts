import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { builtInTemplates } from "../notification-templates/built-in-templates.js";
import { dataProblems } from "../notification-templates/check-data.js";
import { localeChain } from "../notification-templates/locale-chain.js";
import { TemplateTextError } from "../notification-templates/template-text.js";
import type { RenderedText, TemplateRenderer, TemplateUse } from "../notifications/request/notification-templates.js";
import type { MessageComposer } from "./messages/message-composer.js";

/** Renders the templates of the platform for requests. */
export class BuiltInTemplateRenderer implements TemplateRenderer {
  readonly #composer: MessageComposer;

  constructor(composer: MessageComposer) {
    this.#composer = composer;
  }

  async render(tenant: Tenant, { templateKey, data, locale }: TemplateUse): Promise<RenderedText> {
    const template = builtInTemplates.get(templateKey);
    if (!template) throw unknownTemplate(templateKey);
    const problems = dataProblems(template, data);
    if (locale !== null && localeChain(locale).length === 0)
      problems.push({ pointer: "/locale", code: "FORMAT", detail: "The value must be a language tag (BCP 47)." });
    if (problems.length > 0) throw invalid("The data does not fit the template. See errors for each value.", problems);
    try {
      const content = { title: null, body: null, templateKey, data, locale };
      const { title, body } = await this.#composer.compose({ tenant, ...content });
      return { title, body };
    } catch (error) {
      if (!(error instanceof TemplateTextError)) throw error;
      throw invalid("The data makes the message too long.", [
        { pointer: "/data", code: "TOO_LONG", detail: error.message },
      ]);
    }
  }
}

const underInput = (pointer: string) => `/input${pointer}`;

function invalid(detail: string, problems: ReturnType<typeof dataProblems>): DomainError {
  const errors = problems.map(({ pointer, ...problem }) => ({ pointer: underInput(pointer), ...problem }));
  return new DomainError("PARAMETERS_INVALID", { detail, errors });
}

function unknownTemplate(templateKey: string): DomainError {
  const known = [...builtInTemplates.keys()].join(", ");
  return new DomainError("REFERENCE_NOT_FOUND", {
    detail: `The template "${templateKey}" does not exist.`,
    errors: [{ pointer: "/input/templateKey", code: "UNKNOWN_VALUE", detail: `The value must be one of ${known}.` }],
  });
}
