import { SaxesParser } from "saxes";

export interface ProjectReference {
  element: "PackageReference" | "ProjectReference" | "FrameworkReference";
  include: string;
  version: string | null;
}

interface ReferencePlace {
  include: string;
  /** From `<` to behind `>` of the opening tag. */
  start: number;
  end: number;
  version: string | null;
}

interface Layout {
  references: ReferencePlace[];
  /** Behind the last reference of the kind, in a group without a condition. */
  lastInGroup: number | null;
  rootEnd: number | null;
  centralVersions: boolean;
}

/** The project with the reference, or undefined when the text is no project that can be edited safely. */
export function withReference(project: string, reference: ProjectReference): string | undefined {
  const layout = readLayout(project, reference.element);
  if (layout === undefined || layout.rootEnd === null) return undefined;
  // where versions are managed centrally, another file has to change with this one
  if (layout.centralVersions && reference.version !== null) return undefined;
  const known = layout.references.find(({ include }) => include.toLowerCase() === reference.include.toLowerCase());
  if (known !== undefined) return withVersion(project, known, reference.version);
  const newLine = project.includes("\r\n") ? "\r\n" : "\n";
  if (layout.lastInGroup !== null) {
    const indent = indentBefore(
      project,
      layout.references.find((one) => one.end <= (layout.lastInGroup ?? 0))?.start ?? 0,
    );
    return splice(project, layout.lastInGroup, `${newLine}${indent}${element(reference)}`);
  }
  const group = ["  <ItemGroup>", `    ${element(reference)}`, "  </ItemGroup>", "", ""].join(newLine);
  return splice(project, layout.rootEnd, group);
}

function element({ element: name, include, version }: ProjectReference): string {
  const versionPart = version === null ? "" : ` Version="${attribute(version)}"`;
  return `<${name} Include="${attribute(include)}"${versionPart} />`;
}

function attribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function withVersion(project: string, known: ReferencePlace, version: string | null): string | undefined {
  if (version === null || known.version === version) return project;
  if (known.version === null) return undefined;
  const tag = project.slice(known.start, known.end);
  const changed = tag.replace(
    /(\sVersion\s*=\s*)(?:"[^"]*"|'[^']*')/,
    (_, name: string) => `${name}"${attribute(version)}"`,
  );
  return changed === tag ? undefined : project.slice(0, known.start) + changed + project.slice(known.end);
}

function splice(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function indentBefore(text: string, at: number): string {
  const lineStart = Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
  const before = text.slice(lineStart, at);
  return /^[ \t]*$/.test(before) ? before : "    ";
}

/** Places of references in the text; undefined when it is not well-formed. */
function readLayout(project: string, name: string): Layout | undefined {
  const text = project.replace(/^\ufeff/, "");
  const shift = project.length - text.length;
  const layout: Layout = { references: [], lastInGroup: null, rootEnd: null, centralVersions: false };
  const parser = new SaxesParser({ position: true });
  const open: { name: string; conditional: boolean }[] = [];
  let tagStart = 0;
  let central = "";
  let broken = false;
  parser.on("error", () => {
    broken = true;
  });
  parser.on("opentagstart", (tag) => {
    tagStart = text.lastIndexOf(`<${tag.name}`, parser.position - 1);
  });
  parser.on("opentag", (tag) => {
    const attributes = tag.attributes as Record<string, string>;
    if (tag.name === name && attributes["Include"] !== undefined) {
      const version = attributes["Version"] ?? null;
      const place = { include: attributes["Include"], start: tagStart + shift, end: parser.position + shift, version };
      layout.references.push(place);
    }
    open.push({ name: tag.name, conditional: attributes["Condition"] !== undefined });
  });
  parser.on("text", (part) => {
    if (open.at(-1)?.name === "ManagePackageVersionsCentrally") central += part;
  });
  parser.on("closetag", (tag) => {
    const closed = open.pop();
    const group = open.at(-1);
    if (tag.name === name && group?.name === "ItemGroup" && !group.conditional && closed?.conditional === false) {
      layout.lastInGroup = parser.position + shift;
    }
    if (open.length === 0 && !tag.isSelfClosing) layout.rootEnd = text.lastIndexOf("</", parser.position) + shift;
  });
  parser.write(text).close();
  layout.centralVersions = central.trim().toLowerCase() === "true";
  return broken ? undefined : layout;
}
