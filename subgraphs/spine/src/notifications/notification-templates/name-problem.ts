import type { MessageTemplate } from "./message-template.js";
import type { TemplateText } from "./template-text.js";

type Variables = MessageTemplate["variables"];

/** The names that the sections around a part allow. */
interface Surroundings {
  /** The members of the items of lists. */
  readonly members: readonly string[];
  readonly isSection: boolean;
}

/** The problem of the first name in the text that does not fit the declared variables; undefined if all of them do. */
export function nameProblem(
  text: TemplateText,
  variables: Variables,
  around: Surroundings = { members: [], isSection: false },
): string | undefined {
  for (const part of text) {
    if (part.kind === "text") continue;
    const problem = pathProblem(part, variables, around);
    if (problem !== undefined) return problem;
    if (part.kind === "value") continue;
    const members = [...around.members, ...(declared(variables, part.path[0])?.members ?? [])];
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
  const variable = declared(variables, name);
  if (!variable) return `"${name}" is not one of the variables.`;
  return kind === "value" && variable.type === "list"
    ? `"${name}" is a list. Use {{#${name}}}…{{/${name}}}.`
    : undefined;
}

const declared = (variables: Variables, name: string | undefined) =>
  name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
