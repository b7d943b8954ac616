import { posix } from "node:path";
import { booleanOf, member, textMember } from "../jsonc.js";
import { formatGuid, parseGuid, seededGuid } from "../symbols/seeded-values.js";
import type { PostAction } from "../template-config.js";
import { type PostActionContext, skipped } from "./post-action-context.js";
import { configuredFiles, textOfFile, write } from "./produced-files.js";
import { withProjectInDocument } from "./solution-document.js";
import { foldersOf, type SolutionEntry } from "./solution-entry.js";
import { withProjectInText } from "./solution-text.js";

/** Lists projects in the solution that was produced with them. */
export function addToSolution(action: PostAction, context: PostActionContext): boolean {
  const solution = producedSolution([...context.files.keys()]);
  if (solution === undefined) return skipped(action, context, "there is not exactly one solution file in the result");
  const projects = projectsToAdd(action, context);
  if (projects === undefined || projects.length === 0) return skipped(action, context, "it names no produced project");
  const folder = (textMember(action.args, "solutionFolder") ?? "").trim();
  const inRoot = booleanOf(member(action.args, "inRoot")) ?? false;
  if (folder !== "" && inRoot) return skipped(action, context, "it asks for a solution folder and for none");
  let text = textOfFile(context, solution);
  for (const project of projects) {
    const path = posix.relative(posix.dirname(solution), project);
    const chosen = folder === "" ? foldersOf(path) : folder.split(/[\\/]/).filter((name) => name !== "");
    const entry = { path, id: projectId(project, solution, context), folders: inRoot ? [] : chosen };
    const edited = withProject(text, entry, solution, context.seed);
    if (edited === undefined) return skipped(action, context, `${solution} cannot be edited safely`);
    text = edited;
  }
  write(context, solution, text);
  return true;
}

function withProject(text: string, entry: SolutionEntry, solution: string, seed: string): string | undefined {
  if (solution.toLowerCase().endsWith(".slnx")) return withProjectInDocument(text, entry);
  return withProjectInText(text, entry, (folder) => newId(seed, `${solution}/folder/${folder}`));
}

/** The one at the top as the .NET tools look for it, the older format first; else the only one anywhere. */
function producedSolution(paths: readonly string[]): string | undefined {
  const top = paths.filter((path) => !path.includes("/"));
  const found = [top, paths]
    .flatMap((places) => [".sln", ".slnx"].map((extension) => places.filter((path) => path.endsWith(extension))))
    .find((matches) => matches.length > 0);
  return found?.length === 1 ? found[0] : undefined;
}

/** `projectFiles` are patterns over paths in the template; else indexes of primary outputs, else all of these. */
function projectsToAdd(action: PostAction, context: PostActionContext): string[] | undefined {
  const configured = configuredFiles(action, context, "projectFiles").filter(isProject);
  if (configured.length > 0) return configured;
  const indexes = textMember(action.args, "primaryOutputIndexes");
  const { primaryOutputs } = context;
  if (indexes === null) return primaryOutputs.filter((path) => isProject(path) && context.files.has(path));
  const chosen = indexes
    .split(";")
    .filter((part) => part !== "")
    .map((part) => (/^\s*\d+\s*$/.test(part) ? primaryOutputs[Number(part)] : undefined));
  return chosen.every((path) => path !== undefined && context.files.has(path))
    ? chosen.filter((path) => path !== undefined)
    : undefined;
}

function isProject(path: string): boolean {
  return posix.extname(path).toLowerCase().endsWith("proj");
}

function projectId(project: string, solution: string, context: PostActionContext): string {
  const declared = /<ProjectGuid>([^<]*)<\/ProjectGuid>/i.exec(textOfFile(context, project))?.[1];
  const known = declared === undefined ? undefined : parseGuid(declared);
  return known === undefined ? newId(context.seed, `${solution}/project/${project}`) : formatGuid(known, "D");
}

function newId(seed: string, purpose: string): string {
  return formatGuid(seededGuid(seed, purpose), "D");
}
