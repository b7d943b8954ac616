import {
  attributeValue,
  elementsOf,
  escapeAttribute,
  outlineIfWellFormed,
  type XmlElement,
} from "../xml/xml-outline.js";
import { projectType, type SolutionEntry, samePath } from "./solution-entry.js";

const indentUnit = "  ";

/** Adds a project to a .slnx document; undefined when it cannot be edited safely. */
export function withProjectInDocument(document: string, entry: SolutionEntry): string | undefined {
  const root = outlineIfWellFormed(document);
  if (root?.name !== "Solution") return undefined;
  const elements = elementsOf(root);
  if (
    elements.some(
      (element) => element.name === "Project" && samePath(attributeValue(element, "Path") ?? "", entry.path),
    )
  ) {
    return document;
  }
  const newLine = document.includes("\r\n") ? "\r\n" : "\n";
  const type = projectType(entry.path);
  const project = `<Project Path="${escapeAttribute(entry.path)}"${type.known ? "" : ` Type="${type.id.toLowerCase()}"`} />`;
  if (entry.folders.length === 0) return withChild(document, root, project, newLine);
  const missing: string[] = [];
  let innermost: XmlElement | undefined;
  entry.folders.forEach((_, depth) => {
    const name = folderName(entry.folders.slice(0, depth + 1));
    innermost = elements.find(
      (element) => element.name === "Folder" && sameName(attributeValue(element, "Name"), name),
    );
    if (innermost !== undefined) return;
    if (depth < entry.folders.length - 1) missing.push(`<Folder Name="${escapeAttribute(name)}" />`);
  });
  if (innermost !== undefined) return withChild(document, innermost, project, newLine);
  const folder = [
    `<Folder Name="${escapeAttribute(folderName(entry.folders))}">`,
    `${indentUnit}${project}`,
    "</Folder>",
  ];
  return withChild(document, root, [...missing, ...folder].join("\n"), newLine);
}

/** Inserts at the end of the parent's content, one level deeper than the parent. */
function withChild(document: string, parent: XmlElement, child: string, newLine: string): string {
  const indent = indentBefore(document, parent.start);
  const lines = child.split("\n").map((line) => `${indent}${indentUnit}${line}`);
  if (parent.selfClosing) {
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
