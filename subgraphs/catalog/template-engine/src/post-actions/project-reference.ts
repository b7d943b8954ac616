import {
  attributeValue,
  elementsOf,
  escapeAttribute,
  outlineIfWellFormed,
  type XmlElement,
} from "../xml/xml-outline.js";

export interface ProjectReference {
  element: "PackageReference" | "ProjectReference" | "FrameworkReference";
  include: string;
  version: string | null;
}

interface ReferencePlace {
  include: string;
  /** The opening tag's offsets, `<` and `>` included. */
  start: number;
  end: number;
  version: string | null;
}

interface Layout {
  references: ReferencePlace[];
  /** The offset after the last reference of the same kind in a group without a condition. */
  lastInGroup: number | null;
  rootEnd: number | null;
  centralVersions: boolean;
}

/** Adds a reference to a project's text; undefined when the text cannot be edited safely. */
export function withReference(project: string, reference: ProjectReference): string | undefined {
  const layout = readLayout(project, reference.element);
  if (layout === undefined || layout.rootEnd === null) return undefined;
  // with central package management another file would have to change too
  if (layout.centralVersions && reference.version !== null) return undefined;
  const existing = layout.references.find(({ include }) => include.toLowerCase() === reference.include.toLowerCase());
  if (existing !== undefined) return withVersion(project, existing, reference.version);
  const newLine = project.includes("\r\n") ? "\r\n" : "\n";
  if (layout.lastInGroup !== null) {
    const indent = indentBefore(
      project,
      layout.references.find((place) => place.end <= (layout.lastInGroup ?? 0))?.start ?? 0,
    );
    return splice(project, layout.lastInGroup, `${newLine}${indent}${element(reference)}`);
  }
  const group = ["  <ItemGroup>", `    ${element(reference)}`, "  </ItemGroup>", "", ""].join(newLine);
  return splice(project, layout.rootEnd, group);
}

function element({ element: name, include, version }: ProjectReference): string {
  const versionPart = version === null ? "" : ` Version="${escapeAttribute(version)}"`;
  return `<${name} Include="${escapeAttribute(include)}"${versionPart} />`;
}

function withVersion(project: string, existing: ReferencePlace, version: string | null): string | undefined {
  if (version === null || existing.version === version) return project;
  if (existing.version === null) return undefined;
  const tag = project.slice(existing.start, existing.end);
  const newTag = tag.replace(
    /(\sVersion\s*=\s*)(?:"[^"]*"|'[^']*')/,
    (_, name: string) => `${name}"${escapeAttribute(version)}"`,
  );
  return newTag === tag ? undefined : project.slice(0, existing.start) + newTag + project.slice(existing.end);
}

function splice(text: string, at: number, insertion: string): string {
  return text.slice(0, at) + insertion + text.slice(at);
}

function indentBefore(text: string, at: number): string {
  const lineStart = Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
  const before = text.slice(lineStart, at);
  return /^[ \t]*$/.test(before) ? before : "    ";
}

/** The places of references in a project; undefined when its text is not well-formed. */
function readLayout(project: string, name: string): Layout | undefined {
  const root = outlineIfWellFormed(project);
  if (root === undefined) return undefined;
  const elements = elementsOf(root);
  const groups = elements.filter((child) => child.name === "ItemGroup" && !isConditional(child));
  const ends = groups.flatMap(({ children }) =>
    children.filter((child) => child.name === name && !isConditional(child)).map(({ end }) => end),
  );
  const central = elements.filter((child) => child.name === "ManagePackageVersionsCentrally").map(({ text }) => text);
  return {
    references: elements.flatMap((child) => (child.name === name ? placeOf(child) : [])),
    // not Math.max(...ends): a large project has more references than a call may have arguments
    lastInGroup: ends.reduce<number | null>((last, end) => Math.max(last ?? 0, end), null),
    rootEnd: root.selfClosing ? null : root.closeStart,
    centralVersions: central.join("").trim().toLowerCase() === "true",
  };
}

function placeOf(element: XmlElement): ReferencePlace[] {
  const include = attributeValue(element, "Include");
  if (include === undefined) return [];
  return [{ include, start: element.start, end: element.openEnd, version: attributeValue(element, "Version") ?? null }];
}

function isConditional(element: XmlElement): boolean {
  return attributeValue(element, "Condition") !== undefined;
}
