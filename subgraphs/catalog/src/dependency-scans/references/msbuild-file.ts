import { decodeText } from "@factory/template-engine/encodings";
import type { FileTree } from "@factory/template-engine/file-tree";
import { attributeOf, childOf, isNamed, outline, type XmlElement } from "@factory/template-engine/xml-outline";

/** The last value of each property that one or more files set, by name in lower case. */
export type MsbuildProperties = ReadonlyMap<string, string>;

/** An item of a project file. */
export interface MsbuildItem {
  readonly kind: string;
  readonly operation: "Include" | "Update" | "Remove";
  /** The package names, expanded. */
  readonly names: readonly string[];
  /** Whether a condition decides about it. Conditions are not evaluated. */
  readonly conditional: boolean;
  readonly element: XmlElement;
}

const maxExpandedLength = 4096;
const maxExpansions = 20;
const operations = ["Include", "Update", "Remove"] as const;

/** Parses the MSBuild files of a render, each once. A file that is missing or not well-formed has no elements. */
export class MsbuildFiles {
  readonly #files: FileTree;
  readonly #roots = new Map<string, XmlElement | undefined>();
  #charactersLeft: number;

  /** `maxCharacters` is the limit for all files together, since parsing takes time. */
  constructor(files: FileTree, maxCharacters: number) {
    this.#files = files;
    this.#charactersLeft = maxCharacters;
  }

  /** Whether all files so far were within the limit of characters. */
  get complete(): boolean {
    return this.#charactersLeft >= 0;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  root(path: string): XmlElement | undefined {
    if (!this.#roots.has(path)) this.#roots.set(path, this.#parse(path));
    return this.#roots.get(path);
  }

  #parse(path: string): XmlElement | undefined {
    const bytes = this.#files.get(path)?.bytes;
    if (bytes === undefined) return undefined;
    this.#charactersLeft -= bytes.length;
    if (!this.complete) return undefined;
    try {
      return outline(decodeText(bytes));
    } catch {
      // the checks of a template report a file that is not well-formed
      return undefined;
    }
  }
}

/** The properties of the files, in the order in which MSBuild evaluates them. Conditions are not evaluated. */
export function propertiesOf(roots: readonly (XmlElement | undefined)[]): MsbuildProperties {
  const properties = new Map<string, string>();
  for (const root of roots)
    for (const group of childrenIn(root, "PropertyGroup"))
      for (const property of group.children)
        properties.set(property.name.toLowerCase(), expanded(property.text.trim(), properties));
  return properties;
}

/** Replaces `$(Name)` by the value of the property. A property that no file sets stays as it is written. */
export function expanded(text: string, properties: MsbuildProperties): string {
  if (text.length > maxExpandedLength) return text;
  let current = text;
  for (let round = 0; round < maxExpansions && current.includes("$("); round += 1) {
    const next = current.replace(/\$\(\s*([\w.-]+)\s*\)/g, (whole, name: string) => {
      const value = properties.get(name.toLowerCase());
      return value === undefined || value.length > maxExpandedLength ? whole : value;
    });
    if (next === current || next.length > maxExpandedLength) break;
    current = next;
  }
  return current;
}

/** The items of a file in document order, without those inside targets. */
export function itemsOf(root: XmlElement | undefined, properties: MsbuildProperties): MsbuildItem[] {
  return groupsOf(root, false).flatMap(({ group, conditional }) =>
    group.children.flatMap((element) => {
      const operation = operations.find((name) => attributeOf(element, name) !== undefined);
      if (operation === undefined) return [];
      const names = expanded(attributeOf(element, operation)?.value ?? "", properties)
        .split(";")
        .map((name) => name.trim())
        .filter((name) => name !== "");
      const own = attributeOf(element, "Condition") !== undefined;
      return [{ kind: element.name, operation, names, conditional: conditional || own, element }];
    }),
  );
}

/** The value of a metadata member, from an attribute or a child element, expanded. */
export function metadata(item: XmlElement, name: string, properties: MsbuildProperties): string | undefined {
  const text = (attributeOf(item, name)?.value ?? childOf(item, name)?.text)?.trim();
  return text === undefined || text === "" ? undefined : expanded(text, properties);
}

function groupsOf(parent: XmlElement | undefined, inherited: boolean): { group: XmlElement; conditional: boolean }[] {
  return (parent?.children ?? []).flatMap((child) => {
    const conditional = inherited || attributeOf(child, "Condition") !== undefined;
    if (isNamed(child, "ItemGroup")) return [{ group: child, conditional }];
    if (isNamed(child, "Choose")) return groupsOf(child, conditional);
    if (isNamed(child, "When") || isNamed(child, "Otherwise")) return groupsOf(child, true);
    return [];
  });
}

function childrenIn(root: XmlElement | undefined, name: string): XmlElement[] {
  return (root?.children ?? []).filter((child) => isNamed(child, name));
}
