import { SaxesParser } from "saxes";
import { packageProblem } from "./package-problem.js";

/** An element without its namespace: each nuspec format version has another one. */
export interface NuspecElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly NuspecElement[];
  readonly text: string;
}

interface OpenElement extends NuspecElement {
  children: NuspecElement[];
  text: string;
}

const maxDepth = 32;
const byteOrderMarks = [
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

/** Parses a nuspec. A document type declaration is refused, so only XML's own five entities can occur. */
export function readNuspecXml(bytes: Uint8Array): NuspecElement {
  const parser = new SaxesParser({ position: true });
  const open: OpenElement[] = [];
  let root: NuspecElement | undefined;
  parser.on("error", ({ message }) => {
    throw packageProblem("FORMAT", `The nuspec is not well-formed XML: ${message}`);
  });
  parser.on("doctype", () => {
    throw packageProblem(
      "FORMAT",
      "The nuspec has a document type declaration (<!DOCTYPE>), which is not allowed. Remove it.",
    );
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length === maxDepth)
      throw packageProblem(
        "FORMAT",
        `The nuspec nests its elements more than ${maxDepth} levels deep. At most ${maxDepth} levels are allowed.`,
      );
    open.push({ name: localName(name), attributes: new Map(Object.entries(attributes)), children: [], text: "" });
  });
  const addText = (content: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += content;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop();
    if (element === undefined) return;
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
  });
  parser.write(decode(bytes)).close();
  if (root === undefined) throw packageProblem("FORMAT", "The nuspec has no XML element.");
  return root;
}

/** The child elements with that name. */
export function childrenOf(element: NuspecElement | undefined, name: string): NuspecElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The trimmed text in the first child with that name; undefined where it is missing or empty. */
export function textOf(element: NuspecElement | undefined, name: string): string | undefined {
  return childrenOf(element, name)[0]?.text.trim() || undefined;
}

function decode(bytes: Uint8Array): string {
  const mark = byteOrderMarks.find(({ bytes: [first, second] }) => bytes[0] === first && bytes[1] === second);
  try {
    return new TextDecoder(mark?.encoding ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw packageProblem("FORMAT", "The nuspec is not valid text. Save it as UTF-8 or UTF-16.");
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
