import { posix } from "node:path";
import { booleanOf, member, textMember } from "../jsonc.js";
import { unsafePath } from "../path-safety.js";
import type { PostAction } from "../template-config.js";
import { withJsonProperty } from "./json-property.js";
import { type PostActionContext, skipped } from "./post-action-context.js";
import { configuredFiles, filesNamed, plainPath, textOfFile, write } from "./produced-files.js";
import { type ProjectReference, withReference } from "./project-reference.js";

const ELEMENTS: ReadonlyMap<string, ProjectReference["element"]> = new Map([
  ["package", "PackageReference"],
  ["project", "ProjectReference"],
  ["framework", "FrameworkReference"],
]);

/** Adds a package, project or framework reference to the produced projects. */
export function addReference(action: PostAction, context: PostActionContext): boolean {
  const type = (textMember(action.args, "referenceType") ?? "").toLowerCase();
  const element = ELEMENTS.get(type);
  const reference = textMember(action.args, "reference");
  if (element === undefined || reference === null) return skipped(action, context, "its arguments are incomplete");
  const version = textMember(action.args, "version");
  if (type === "package" && version === null) return skipped(action, context, "it names no version");
  const targets = targetProjects(action, context);
  if (targets.length === 0) return skipped(action, context, "no project was produced that it fits");
  const edits = new Map<string, string>();
  const referenced = type === "project" ? projectNamed(reference, context) : reference;
  for (const path of targets) {
    const include = type === "project" ? projectPath(path, referenced) : reference;
    const edited = withReference(textOfFile(context, path), {
      element,
      include,
      version: type === "package" ? version : null,
    });
    if (edited === undefined) return skipped(action, context, `${path} cannot be edited safely`);
    edits.set(path, edited);
  }
  for (const [path, text] of edits) write(context, path, text);
  return true;
}

/** Sets a property in the one produced file of a name. */
export function addJsonProperty(action: PostAction, context: PostActionContext): boolean {
  const fileName = textMember(action.args, "jsonFileName");
  const name = textMember(action.args, "newJsonPropertyName");
  const value = textMember(action.args, "newJsonPropertyValue");
  if (fileName === null || name === null || value === null) {
    return skipped(action, context, "its arguments are incomplete");
  }
  const path = jsonFile(action, context, fileName);
  if (path === undefined) return skipped(action, context, `there is not exactly one file "${fileName}"`);
  const parent = textMember(action.args, "parentPropertyPath");
  const edited = withJsonProperty(context.files.has(path) ? textOfFile(context, path) : "{}", {
    parentPath: parent === null || parent === "" ? [] : parent.split(":"),
    name,
    value,
    createsPath: booleanOf(member(action.args, "allowPathCreation")) ?? false,
  });
  if (edited === undefined) return skipped(action, context, `${path} has no place for the property`);
  write(context, path, edited);
  return true;
}

function jsonFile(action: PostAction, context: PostActionContext, fileName: string): string | undefined {
  const found = [...context.files.keys()].filter((path) => path === fileName || path.endsWith(`/${fileName}`));
  if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  const creates = booleanOf(member(action.args, "allowFileCreation")) ?? false;
  return creates && unsafePath(fileName) === undefined ? fileName : undefined;
}

/** The named target files, else the primary outputs, else the only project. */
function targetProjects(action: PostAction, context: PostActionContext): string[] {
  const configured = configuredFiles(action, context, "targetFiles");
  if (configured.length > 0 || member(action.args, "targetFiles") !== undefined) return configured;
  const extensions = (textMember(action.args, "projectFileExtensions") ?? ".csproj;.fsproj;.vbproj")
    .split(";")
    .map((extension) => extension.trim().toLowerCase())
    .filter((extension) => extension !== "");
  const fits = (path: string) => extensions.some((extension) => path.toLowerCase().endsWith(extension));
  const primary = context.primaryOutputs.filter((path) => fits(path) && context.files.has(path));
  if (primary.length > 0) return primary;
  const all = [...context.files.keys()].filter(fits);
  return all.length === 1 ? all : [];
}

/** A project may be named as the template calls it, whatever it was renamed to. */
function projectNamed(reference: string, context: PostActionContext): string {
  const [first, ...others] = filesNamed(reference, context);
  return first !== undefined && others.length === 0 ? first : reference;
}

/** From the project's folder, with the separators that .NET tools write. */
function projectPath(project: string, reference: string): string {
  return posix.relative(posix.dirname(project), plainPath(reference)).replaceAll("/", "\\");
}
