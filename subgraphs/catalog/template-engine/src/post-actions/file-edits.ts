import { posix } from "node:path";
import type { PostAction } from "../configuration/template-config.js";
import { unsafePath } from "../files/path-safety.js";
import { withJsonProperty } from "../json/json-property.js";
import { booleanOf, member, textMember } from "../json/jsonc.js";
import { folderOf, nearestInTarget, pathInTarget, type TargetFiles } from "../target/target-files.js";
import { changeTarget, type PostActionContext, skipped } from "./post-action-context.js";
import {
  configuredFiles,
  configuredPaths,
  filesNamed,
  fileText,
  plainPath,
  textOfFile,
  write,
} from "./produced-files.js";
import { type ProjectReference, withReference } from "./project-reference.js";

const referenceElements: ReadonlyMap<string, ProjectReference["element"]> = new Map([
  ["package", "PackageReference"],
  ["project", "ProjectReference"],
  ["framework", "FrameworkReference"],
]);

/** Adds a package, project or framework reference to projects. */
export function addReference(action: PostAction, context: PostActionContext): boolean {
  const type = (textMember(action.args, "referenceType") ?? "").toLowerCase();
  const element = referenceElements.get(type);
  const reference = textMember(action.args, "reference");
  if (element === undefined || reference === null) return skipped(action, context, "its arguments are incomplete");
  const version = textMember(action.args, "version");
  if (type === "package" && version === null) return skipped(action, context, "its version is missing");
  const targets = targetProjects(action, context);
  if (targets.length === 0) return skipped(action, context, "no matching project was found");
  const referencePath = type === "project" ? projectNamed(reference, context) : reference;
  const edits = new Map<ReferringProject, ProjectReference>();
  for (const target of targets) {
    const include = type === "project" ? projectPath(target, referencePath, context) : reference;
    const newReference: ProjectReference = { element, include, version: type === "package" ? version : null };
    const problem = referenceProblem(target, newReference, context);
    if (problem !== undefined) return skipped(action, context, problem);
    edits.set(target, newReference);
  }
  const undone = [...edits].filter(([target, newReference]) => !refer(target, newReference, context));
  if (undone.length === 0) return true;
  return skipped(action, context, "it would make too many changes in the target");
}

interface ReferringProject {
  /** A path from the output folder when produced, else from the target's root. */
  readonly path: string;
  readonly isProduced: boolean;
}

/** The reason why a reference cannot be added. It is checked for all projects before the first one changes. */
function referenceProblem(
  { path, isProduced }: ReferringProject,
  newReference: ProjectReference,
  { files, target, edits }: PostActionContext,
): string | undefined {
  const text = isProduced ? fileText(files.get(path)) : (edits.get(path)?.text ?? target.files.get(path) ?? "");
  if (withReference(text, newReference) === undefined) return `${path} cannot be edited safely`;
  if (isProduced || newReference.version === null || !managesVersions(target, path)) return undefined;
  return `the versions of ${path} are managed centrally`;
}

function refer(
  { path, isProduced }: ReferringProject,
  reference: ProjectReference,
  context: PostActionContext,
): boolean {
  if (!isProduced) return changeTarget(context, path, [{ kind: "reference", reference }]);
  write(context, path, withReference(textOfFile(context, path), reference) ?? textOfFile(context, path));
  return true;
}

/** Whether the target's nearest Directory.Packages.props manages the project's versions. */
function managesVersions(target: TargetFiles, project: string): boolean {
  const [central] = nearestInTarget(target, folderOf(project), (path) =>
    /(?:^|\/)Directory\.Packages\.props$/i.test(path),
  );
  return central !== undefined && /<ManagePackageVersionsCentrally>\s*true\s*</i.test(target.files.get(central) ?? "");
}

/** Sets a JSON property in the only produced file with a name. */
export function addJsonProperty(action: PostAction, context: PostActionContext): boolean {
  const fileName = textMember(action.args, "jsonFileName");
  const name = textMember(action.args, "newJsonPropertyName");
  const value = textMember(action.args, "newJsonPropertyValue");
  if (fileName === null || name === null || value === null) {
    return skipped(action, context, "its arguments are incomplete");
  }
  const path = jsonFile(action, context, fileName);
  if (path === undefined) return skipped(action, context, `exactly one file "${fileName}" is needed`);
  const parent = textMember(action.args, "parentPropertyPath");
  const text = withJsonProperty(context.files.has(path) ? textOfFile(context, path) : "{}", {
    parentPath: parent === null || parent === "" ? [] : parent.split(":"),
    name,
    value,
    createsPath: booleanOf(member(action.args, "allowPathCreation")) ?? false,
  });
  if (text === undefined) return skipped(action, context, `${path} does not contain the parent of the property`);
  write(context, path, text);
  return true;
}

function jsonFile(action: PostAction, context: PostActionContext, fileName: string): string | undefined {
  const paths = [...context.files.keys()].filter((path) => path === fileName || path.endsWith(`/${fileName}`));
  if (paths.length > 0) return paths.length === 1 ? paths[0] : undefined;
  const creates = booleanOf(member(action.args, "allowFileCreation")) ?? false;
  return creates && unsafePath(fileName) === undefined ? fileName : undefined;
}

/** The named target files, else the primary outputs, else the only produced project, else the target's nearest. */
function targetProjects(action: PostAction, context: PostActionContext): ReferringProject[] {
  if (member(action.args, "targetFiles") !== undefined) return namedProjects(action, context);
  const extensions = (textMember(action.args, "projectFileExtensions") ?? ".csproj;.fsproj;.vbproj")
    .split(";")
    .map((extension) => extension.trim().toLowerCase())
    .filter((extension) => extension !== "");
  const fits = (path: string) => extensions.some((extension) => path.toLowerCase().endsWith(extension));
  const primary = context.primaryOutputs.filter((path) => fits(path) && context.files.has(path));
  if (primary.length > 0) return primary.map(produced);
  const all = [...context.files.keys()].filter(fits);
  if (all.length > 0) return all.length === 1 ? all.map(produced) : [];
  const nearest = nearestInTarget(context.target, context.target.directory, fits);
  return nearest.length === 1 ? nearest.map((path) => ({ path, isProduced: false })) : [];
}

function namedProjects(action: PostAction, context: PostActionContext): ReferringProject[] {
  const projects = configuredFiles(action, context, "targetFiles").map(produced);
  const paths = configuredPaths(action, "targetFiles").flatMap((path) => pathInTarget(context.target, path) ?? []);
  const existing = paths.filter((path) => context.target.files.has(path));
  const producedPaths = new Set(projects.map(({ path }) => posix.join(context.target.directory, path)));
  return [
    ...projects,
    ...existing.filter((path) => !producedPaths.has(path)).map((path) => ({ path, isProduced: false })),
  ];
}

function produced(path: string): ReferringProject {
  return { path, isProduced: true };
}

/** Finds a project by its path in the template or by its output path. */
function projectNamed(reference: string, context: PostActionContext): string {
  const [first, ...others] = filesNamed(reference, context);
  return first !== undefined && others.length === 0 ? first : reference;
}

/** The path from the project's folder, with backslashes as the .NET tools write it. */
function projectPath({ path, isProduced }: ReferringProject, reference: string, { target }: PostActionContext): string {
  const place = isProduced ? posix.join(target.directory, path) : path;
  const referencePath = posix.join(target.directory, plainPath(reference));
  return posix.relative(posix.dirname(place), referencePath).replaceAll("/", "\\");
}
