import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { localeChain } from "./locale-chain.js";
import { type MessageTemplate } from "./message-template.js";
import type { StoredText, StoredVariable, TemplateContent } from "./notification-template.entity.js";
import type {
  NotificationTemplateTextInput,
  NotificationTemplateVariableInput,
  SetNotificationTemplateInput,
} from "./notification-template.input.js";
import { variablesOf } from "./notification-template.view.js";
import { readTemplate, type TemplateText, TemplateTextError } from "./template-text.js";

/** Bounds what a tenant stores, and what one notification reads. */
const maxBytes = 32 * 1024;
/** More problems would not help anybody. */
const shownErrors = 100;

/**
 * A template's content as it is stored. Throws NOTIFICATION_TEMPLATE_INVALID with a pointer to each part that cannot be
 * read, or that does not fit the others. `locale` is the tenant's language.
 */
export function checkedContent(input: SetNotificationTemplateInput, locale: string): TemplateContent {
  const { linkVariable = null } = input;
  const variables = (input.variables ?? []).map(storedVariable);
  const texts = input.texts.map(storedText);
  const errors = [
    ...variableProblems(variables),
    ...linkProblems(linkVariable, variables),
    ...texts.flatMap((text, at) => textProblems(text, `/input/texts/${at}`, linkVariable !== null)),
    ...localeProblems(texts, locale),
  ];
  // names are compared with variables that are known to be well formed
  const allErrors =
    errors.length > 0 ? errors : texts.flatMap((text, at) => nameProblems(text, at, variablesOf(variables)));
  if (Buffer.byteLength(JSON.stringify({ variables, texts })) > maxBytes)
    allErrors.push(problem("/input/texts", "TOO_LONG", "The template must have at most 32 KiB as JSON."));
  if (allErrors.length > 0)
    throw new DomainError("NOTIFICATION_TEMPLATE_INVALID", {
      detail: "The template has parts that cannot be used. See errors for each of them.",
      errors: allErrors.slice(0, shownErrors),
    });
  return { variables, linkVariable, texts };
}

const storedVariable = (variable: NotificationTemplateVariableInput): StoredVariable => ({
  name: variable.name,
  type: variable.type as StoredVariable["type"],
  isOptional: variable.isOptional ?? false,
  members: variable.members ?? [],
});

const storedText = ({ locale, subject, paragraphs, linkLabel }: NotificationTemplateTextInput): StoredText => ({
  ...{ locale: localeChain(locale)[0] ?? locale, subject, paragraphs, linkLabel: linkLabel ?? null },
});

const problem = (pointer: string, code: string, detail: string): FieldError => ({ pointer, code, detail });

function variableProblems(variables: readonly StoredVariable[]): FieldError[] {
  return variables.flatMap(({ name, type, members }, at) => {
    const pointer = `/input/variables/${at}`;
    const errors: FieldError[] = [];
    if (variables.findIndex((other) => other.name === name) < at)
      errors.push(problem(`${pointer}/name`, "DUPLICATE", "Another variable has this name."));
    if (type !== "list" && members.length > 0)
      errors.push(problem(`${pointer}/members`, "NOT_ALLOWED", "Only the items of a list have members."));
    return errors;
  });
}

function linkProblems(linkVariable: string | null, variables: readonly StoredVariable[]): FieldError[] {
  const isAddress = variables.some(({ name, type }) => name === linkVariable && type === "address");
  return linkVariable === null || isAddress
    ? []
    : [problem("/input/linkVariable", "UNKNOWN_VALUE", "Must be the name of a variable of the type address.")];
}

/** A language's texts by their pointers. */
function partsOf({ subject, paragraphs, linkLabel }: StoredText, pointer: string): [pointer: string, text: string][] {
  return [
    [`${pointer}/subject`, subject],
    ...paragraphs.map((text, at): [string, string] => [`${pointer}/paragraphs/${at}`, text]),
    ...(linkLabel === null ? [] : [[`${pointer}/linkLabel`, linkLabel] as [string, string]]),
  ];
}

function textProblems(text: StoredText, pointer: string, hasLink: boolean): FieldError[] {
  const errors = partsOf(text, pointer).flatMap(([part, source]) => {
    const reason = unreadable(source);
    return reason === undefined ? [] : [problem(part, "FORMAT", reason)];
  });
  if (hasLink && text.linkLabel === null)
    errors.push(problem(`${pointer}/linkLabel`, "REQUIRED", "The template has a link, which needs a label."));
  if (!hasLink && text.linkLabel !== null)
    errors.push(problem(`${pointer}/linkLabel`, "NOT_ALLOWED", "A label needs a linkVariable with the address."));
  return errors;
}

function unreadable(source: string): string | undefined {
  try {
    readTemplate(source);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateTextError) return error.message;
    throw error;
  }
}

function nameProblems(text: StoredText, at: number, variables: MessageTemplate["variables"]): FieldError[] {
  return partsOf(text, `/input/texts/${at}`).flatMap(([pointer, source]) => {
    const reason = nameProblem(readTemplate(source), variables);
    return reason === undefined ? [] : [problem(pointer, "UNKNOWN_VALUE", reason)];
  });
}

/** A fallback ends in `en`, or in the tenant's language. */
function localeProblems(texts: readonly StoredText[], ofTenant: string): FieldError[] {
  const errors = texts.flatMap(({ locale }, at) => {
    const pointer = `/input/texts/${at}/locale`;
    if (localeChain(locale).length === 0) return [problem(pointer, "FORMAT", "Must be a language tag (BCP 47).")];
    const isRepeated = texts.findIndex((other) => other.locale === locale) < at;
    return isRepeated ? [problem(pointer, "DUPLICATE", "Another text has this language.")] : [];
  });
  const last = localeChain(ofTenant, "en");
  if (!texts.some(({ locale }) => last.includes(locale)))
    errors.push(problem("/input/texts", "REQUIRED", `One of the texts must be in ${last.join(" or ")}.`));
  return errors;
}

type Variables = MessageTemplate["variables"];

/** The names that the sections around a part allow. */
interface Surroundings {
  /** The members that list items have. */
  readonly members: readonly string[];
  readonly isSection: boolean;
}

/** The problem with the first name in the text that does not fit the declared variables; undefined if all names do. */
function nameProblem(
  text: TemplateText,
  variables: Variables,
  around: Surroundings = { members: [], isSection: false },
): string | undefined {
  for (const part of text) {
    if (part.kind === "text") continue;
    const problem = pathProblem(part, variables, around);
    if (problem !== undefined) return problem;
    if (part.kind === "value") continue;
    const members = [...around.members, ...(declaredVariable(variables, part.path[0])?.members ?? [])];
    const within = nameProblem(part.parts, variables, { members, isSection: true });
    if (within !== undefined) return within;
  }
  return undefined;
}

function pathProblem(
  { kind, path }: Exclude<TemplateText[number], { kind: "text" }>,
  variables: Variables,
  { members, isSection }: Surroundings,
): string | undefined {
  const [name] = path;
  if (name === undefined)
    return isSection ? undefined : '"{{.}}" stands for the item of a section, and is outside of one.';
  if (path.length > 1) return `"${path.join(".")}" has a dot, and only the items of a list have members.`;
  if (members.includes(name)) return undefined;
  const variable = declaredVariable(variables, name);
  if (!variable) return `"${name}" is not one of the variables.`;
  return kind === "value" && variable.type === "list"
    ? `"${name}" is a list. Use {{#${name}}}…{{/${name}}}.`
    : undefined;
}

const declaredVariable = (variables: Variables, name: string | undefined) =>
  name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
