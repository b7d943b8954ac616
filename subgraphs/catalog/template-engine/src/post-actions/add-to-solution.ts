import { posix } from "node:path";
import type { PostAction } from "../configuration/template-config.js";
import { booleanOf, member, textMember } from "../json/jsonc.js";
import { foldersOf, type SolutionEntry } from "../solutions/solution-entry.js";
import { newSolutionId } from "../solutions/solution-ids.js";
import { formatGuid, parseGuid } from "../symbols/seeded-values.js";
import { nearestInTarget } from "../target/target-files.js";
import { changeTarget, type PostActionContext, skipped } from "./post-action-context.js";
import { configuredFiles, textOfFile, write } from "./produced-files.js";
import { withChanges } from "./target-edits.js";

/** Adds projects to the solution that was produced with them, or to the target's solution. */
export function addToSolution(action: PostAction, context: PostActionContext): boolean {
  const solution = solutionFor(context);
  if (solution === undefined) return skipped(action, context, "exactly one solution file is needed");
  const projects = projectsToAdd(action, context);
  if (projects === undefined || projects.length === 0)
    return skipped(action, context, "it does not name a produced project");
  const folder = (textMember(action.args, "solutionFolder") ?? "").trim();
  const inRoot = booleanOf(member(action.args, "inRoot")) ?? false;
  if (folder !== "" && inRoot)
    return skipped(action, context, "it has both solutionFolder and inRoot, so use only one of them");
  const entries = projects.map((project): SolutionEntry => {
    const place = solution.isProduced ? project : posix.join(context.target.directory, project);
    const path = posix.relative(posix.dirname(solution.path), place);
    const names = folder === "" ? foldersOf(path) : folder.split(/[\\/]/).filter((name) => name !== "");
    return { path, id: projectId(project, solution.path, context), folders: inRoot ? [] : names };
  });
  return list(entries, solution, context) || skipped(action, context, `${solution.path} cannot be edited safely`);
}

interface Solution {
  /** A path from the output folder when produced, else from the target's root. */
  readonly path: string;
  readonly isProduced: boolean;
}

function list(entries: readonly SolutionEntry[], { path, isProduced }: Solution, context: PostActionContext): boolean {
  const changes = entries.map((entry) => ({ kind: "solution" as const, entry, seed: context.seed }));
  if (!isProduced) return changeTarget(context, path, changes);
  const text = withChanges(textOfFile(context, path), path, changes);
  if (text === undefined) return false;
  write(context, path, text);
  return true;
}

/** The produced solution at the top, else the target's nearest one, else the only produced one. */
function solutionFor(context: PostActionContext): Solution | undefined {
  const paths = [...context.files.keys()];
  const top = solutionsOf(paths.filter((path) => !path.includes("/")));
  if (top.length > 0) return only(top, true);
  const { target } = context;
  const nearest = solutionsOf(nearestInTarget(target, target.directory, (path) => /\.slnx?$/.test(path)));
  return nearest.length > 0 ? only(nearest, false) : only(solutionsOf(paths), true);
}

/** The solution files in the .NET tools' order: the older format first. */
function solutionsOf(paths: readonly string[]): string[] {
  const older = paths.filter((path) => path.endsWith(".sln"));
  return older.length > 0 ? older : paths.filter((path) => path.endsWith(".slnx"));
}

function only(paths: readonly string[], isProduced: boolean): Solution | undefined {
  const [path, ...others] = paths;
  return path === undefined || others.length > 0 ? undefined : { path, isProduced };
}

/** The projects by `projectFiles` (patterns for template paths), by primary output indexes, or all primary outputs. */
function projectsToAdd(action: PostAction, context: PostActionContext): string[] | undefined {
  const projects = configuredFiles(action, context, "projectFiles").filter(isProject);
  if (projects.length > 0) return projects;
  const indexes = textMember(action.args, "primaryOutputIndexes");
  const { primaryOutputs } = context;
  if (indexes === null) return primaryOutputs.filter((path) => isProject(path) && context.files.has(path));
  const outputs = indexes
    .split(";")
    .filter((part) => part !== "")
    .map((part) => (/^\s*\d+\s*$/.test(part) ? primaryOutputs[Number(part)] : undefined));
  return outputs.every((path) => path !== undefined && context.files.has(path))
    ? outputs.filter((path) => path !== undefined)
    : undefined;
}

function isProject(path: string): boolean {
  return posix.extname(path).toLowerCase().endsWith("proj");
}

function projectId(project: string, solution: string, context: PostActionContext): string {
  const text = /<ProjectGuid>([^<]*)<\/ProjectGuid>/i.exec(textOfFile(context, project))?.[1];
  const guid = text === undefined ? undefined : parseGuid(text);
  return guid === undefined ? newSolutionId(context.seed, `${solution}/project/${project}`) : formatGuid(guid, "D");
}
