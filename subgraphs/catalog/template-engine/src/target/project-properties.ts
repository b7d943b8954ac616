import { posix } from "node:path";
import { attributeValue, elementsOf, outlineIfWellFormed, type XmlElement } from "../xml/xml-outline.js";
import { nearestInTarget, type TargetFiles } from "./target-files.js";

const maxValueLength = 4096;
const maxProperties = 2000;

/** The MSBuild properties in the target project's text, by lower-case name. */
export type ProjectProperties = ReadonlyMap<string, string>;

type ProjectLookup =
  | { readonly project: string; readonly properties: ProjectProperties; readonly problem: null }
  | { readonly project: null; readonly properties: null; readonly problem: string | null };

const none = (problem: string | null): ProjectLookup => ({ project: null, properties: null, problem });

/**
 * Finds the only project in the nearest folder at or above the output folder, as dotnet new does. Only plain properties
 * are read: properties with a condition or with property functions are treated as not set.
 */
export function projectOfTarget(target: TargetFiles): ProjectLookup {
  const [project, ...others] = nearestInTarget(target, target.directory, (path) => /\.\w+proj$/i.test(path));
  if (project === undefined) return none(null);
  if (others.length > 0)
    return none(`${[project, ...others].join(" and ")} are equally near, and only one project may be`);
  const outline = plainProperties(target.files.get(project) ?? "");
  if (outline === undefined) return none(`${project} is not well-formed XML`);
  if (!outline.isSdkStyle) return none(`${project} is not an SDK-style project`);
  const properties = new Map<string, string>();
  const folder = posix.dirname(project);
  const [buildProperties] = nearestInTarget(target, folder === "." ? "" : folder, (path) =>
    /(?:^|\/)Directory\.Build\.props$/.test(path),
  );
  const name = posix.basename(project, posix.extname(project));
  properties.set("msbuildprojectname", name);
  properties.set("msbuildprojectfile", posix.basename(project));
  properties.set("msbuildprojectextension", posix.extname(project));
  const parent = buildProperties === undefined ? undefined : plainProperties(target.files.get(buildProperties) ?? "");
  for (const [property, value] of [...(parent?.properties ?? []), ...outline.properties])
    assign(properties, property, value);
  if (!properties.get("assemblyname")) properties.set("assemblyname", name);
  // the default in Microsoft.NET.Sdk
  if (!properties.get("rootnamespace")) properties.set("rootnamespace", name.replaceAll(" ", "_"));
  return { project, properties, problem: null };
}

function assign(properties: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase();
  const result = /\$\(\[|\$\([^()]*[.(]|[@%]\(/.test(value)
    ? undefined
    : value.replace(/\$\(([^()]*)\)/g, (_, name: string) => properties.get(name.trim().toLowerCase()) ?? "");
  // references to other properties can multiply the length
  if (result === undefined || result.length > maxValueLength) properties.delete(key);
  else if (properties.has(key) || properties.size < maxProperties) properties.set(key, result);
}

interface PlainProperties {
  readonly properties: readonly (readonly [string, string])[];
  readonly isSdkStyle: boolean;
}

/** The properties without a condition; undefined when the text is not well-formed. */
function plainProperties(document: string): PlainProperties | undefined {
  const root = outlineIfWellFormed(document);
  if (root === undefined) return undefined;
  const properties = isPlain(root)
    ? root.children
        .filter((group) => group.name === "PropertyGroup" && isPlain(group))
        .flatMap(({ children }) => children.filter(isPlain))
        .slice(0, maxProperties)
        .map(({ name, text }) => [name, text.trim()] as const)
    : [];
  return { properties, isSdkStyle: elementsOf(root).some(namesSdk) };
}

function isPlain(element: XmlElement): boolean {
  return attributeValue(element, "Condition") === undefined;
}

function namesSdk(element: XmlElement): boolean {
  const canNameSdk = element.name === "Project" || element.name === "Import";
  return element.name === "Sdk" || (canNameSdk && attributeValue(element, "Sdk") !== undefined);
}
