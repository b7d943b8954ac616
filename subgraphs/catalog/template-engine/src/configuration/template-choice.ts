import { sameText } from "../text/invariant-case.js";
import type { TemplateConfig } from "./template-config.js";

/** Which template of a package is meant; what is absent is not asked for. */
export interface TemplateChoice {
  /** Its identity, the identity of its group or one of its short names. */
  readonly identity?: string | null | undefined;
  readonly language?: string | null | undefined;
  /** As in its tags: project, item or solution. */
  readonly type?: string | null | undefined;
}

export interface TemplateCandidate {
  readonly root: string;
  readonly config: TemplateConfig;
}

// what dotnet new takes where a group has templates in several languages and none was asked for
const defaultLanguage = "C#";

export function asksForTemplate({ identity, language, type }: TemplateChoice): boolean {
  return [identity, language, type].some((one) => one?.trim());
}

/** Those the choice fits, as dotnet new narrows them: more than one where the choice is ambiguous. */
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

/** Chooses one template of a group: the asked language, else the usual one, then the highest precedence. */
function preferred<T extends TemplateCandidate>(group: readonly T[], choice: TemplateChoice): T[] {
  const usual = group.filter(({ config }) => fits(defaultLanguage, config.tags["language"]));
  const rest = isBlank(choice.language) && usual.length > 0 ? usual : group;
  const highest = Math.max(...rest.map(({ config }) => config.precedence ?? 0));
  return rest.filter(({ config }) => (config.precedence ?? 0) === highest);
}

/** One line for an error: where it lies and by what it can be asked for. */
export function describeCandidate({ root, config }: TemplateCandidate): string {
  const { language, type } = config.tags;
  const facts = [config.identity ?? "no identity", language, type].filter((one) => one !== undefined);
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

function fits(asked: string | null | undefined, actual: string | null | undefined): boolean {
  if (isBlank(asked)) return true;
  return typeof actual === "string" && sameText((asked ?? "").trim(), actual.trim());
}
