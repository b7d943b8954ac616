import { sameText } from "../text/invariant-case.js";
import type { TemplateConfig } from "./template-config.js";

/** Selects one template in a package. An absent member does not restrict the choice. */
export interface TemplateChoice {
  /** The template's identity, its group's identity, or one of its short names. */
  readonly identity?: string | null | undefined;
  readonly language?: string | null | undefined;
  /** The type in its tags: project, item or solution. */
  readonly type?: string | null | undefined;
}

export interface TemplateCandidate {
  readonly root: string;
  readonly config: TemplateConfig;
}

// dotnet new uses this language when a group has several and none is chosen
const defaultLanguage = "C#";

export function asksForTemplate({ identity, language, type }: TemplateChoice): boolean {
  return [identity, language, type].some((member) => member?.trim());
}

/** The templates that the choice selects by dotnet new's rules; several when the choice is ambiguous. */
export function chosenTemplates<T extends TemplateCandidate>(candidates: readonly T[], choice: TemplateChoice): T[] {
  const fitting = candidates
    .filter(({ config }) => isBlank(choice.identity) || namesOf(config).some((name) => fits(choice.identity, name)))
    .filter(({ config }) => fits(choice.language, config.tags["language"]))
    .filter(({ config }) => fits(choice.type, config.tags["type"]));
  const exact = fitting.filter(({ config }) => fits(choice.identity, config.identity));
  if (!isBlank(choice.identity) && exact.length > 0) return exact;
  const [first] = fitting;
  if (first === undefined || !fitting.every(({ config }) => sameGroup(config, first.config))) return fitting;
  return preferred(fitting, choice);
}

/** Selects in a group by language (the chosen one or the default), then by the highest precedence. */
function preferred<T extends TemplateCandidate>(group: readonly T[], choice: TemplateChoice): T[] {
  const usual = group.filter(({ config }) => fits(defaultLanguage, config.tags["language"]));
  const rest = isBlank(choice.language) && usual.length > 0 ? usual : group;
  const highest = Math.max(...rest.map(({ config }) => config.precedence ?? 0));
  return rest.filter(({ config }) => (config.precedence ?? 0) === highest);
}

/** A description for error messages: the template's folder, its identity, language and type. */
export function describeCandidate({ root, config }: TemplateCandidate): string {
  const { language, type } = config.tags;
  const facts = [config.identity ?? "no identity", language, type].filter((fact) => fact !== undefined);
  return `${root === "" ? "." : root} (${facts.join(", ")})`;
}

function namesOf(config: TemplateConfig): string[] {
  return [config.identity, config.groupIdentity, ...config.shortNames].filter((name) => name !== null);
}

function sameGroup(x: TemplateConfig, y: TemplateConfig): boolean {
  const group = x.groupIdentity ?? x.identity;
  return group !== null && sameText(group, y.groupIdentity ?? y.identity ?? "");
}

function isBlank(text: string | null | undefined): boolean {
  return text === undefined || text === null || text.trim() === "";
}

function fits(wish: string | null | undefined, actual: string | null | undefined): boolean {
  if (isBlank(wish)) return true;
  return typeof actual === "string" && sameText((wish ?? "").trim(), actual.trim());
}
