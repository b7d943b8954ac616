import { projectType, type SolutionEntry, samePath } from "./solution-entry.js";
import { type XmlElement, xmlElements } from "./xml-elements.js";

const indentUnit = "  ";

/** The .slnx document with one more project, undefined when it cannot be edited safely. */
export function withProjectInDocument(document: string, entry: SolutionEntry): string | undefined {
  const elements = xmlElements(document);
  const root = elements?.[0];
  if (elements === undefined || root?.name !== "Solution") return undefined;
  if (elements.some((one) => one.name === "Project" && samePath(one.attributes["Path"] ?? "", entry.path))) {
    return document;
  }
  const newLine = document.includes("\r\n") ? "\r\n" : "\n";
  const type = projectType(entry.path);
  const project = `<Project Path="${attribute(entry.path)}"${type.known ? "" : ` Type="${type.id.toLowerCase()}"`} />`;
  if (entry.folders.length === 0) return withChild(document, root, project, newLine);
  const missing: string[] = [];
  let innermost: XmlElement | undefined;
  entry.folders.forEach((_, depth) => {
    const name = folderName(entry.folders.slice(0, depth + 1));
    innermost = elements.find((one) => one.name === "Folder" && sameName(one.attributes["Name"], name));
    if (innermost !== undefined) return;
    if (depth < entry.folders.length - 1) missing.push(`<Folder Name="${attribute(name)}" />`);
  });
  if (innermost !== undefined) return withChild(document, innermost, project, newLine);
  const folder = [`<Folder Name="${attribute(folderName(entry.folders))}">`, `${indentUnit}${project}`, "</Folder>"];
  return withChild(document, root, [...missing, ...folder].join("\n"), newLine);
}

/** At the end of the parent's content, one level deeper than the parent. */
function withChild(document: string, parent: XmlElement, child: string, newLine: string): string {
  const indent = indentBefore(document, parent.start);
  const lines = child.split("\n").map((line) => `${indent}${indentUnit}${line}`);
  if (parent.closeStart === null) {
    const tag = document.slice(parent.start, parent.openEnd).replace(/\s*\/>$/, ">");
    const text = [tag, ...lines, `${indent}</${parent.name}>`].join(newLine);
    return document.slice(0, parent.start) + text + document.slice(parent.openEnd);
  }
  const before = document.slice(0, parent.closeStart).replace(/[ \t]*$/, "");
  const separator = before.endsWith("\n") ? "" : newLine;
  return `${before}${separator}${lines.join(newLine)}${newLine}${indent}${document.slice(parent.closeStart)}`;
}

function indentBefore(document: string, at: number): string {
  const line = document.slice(document.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*$/.test(line) ? line : "";
}

function folderName(folders: readonly string[]): string {
  return `/${folders.join("/")}/`;
}

function sameName(x: string | undefined, y: string): boolean {
  return x !== undefined && x.replaceAll("\\", "/").toLowerCase() === y.toLowerCase();
}

function attribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
