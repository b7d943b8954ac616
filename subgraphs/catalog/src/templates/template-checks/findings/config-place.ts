import { pointerToken } from "@factory/runtime/errors/json-pointer";
import { decodeText } from "@factory/template-engine/encodings";
import { positionAt } from "@factory/template-engine/jsonc";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { type Node, parseTree } from "jsonc-parser";

const configPath = ".template.config/template.json";

/** A place in a JSON file: its path, a JSON pointer, and line and column from 1 (null when unknown). */
export interface ConfigPlace {
  path: string;
  pointer: string;
  line: number | null;
  column: number | null;
}

type Segments = readonly (string | number)[];

/** Finds a JSON pointer's line and column in template.json. */
export class ConfigPlaces {
  readonly path: string;
  readonly #text: string;
  readonly #tree: Node | undefined;

  constructor(pack: TemplatePack) {
    this.path = pack.root === "" ? configPath : `${pack.root}/${configPath}`;
    const file = pack.files.get(configPath);
    this.#text = file ? decodeText(file.bytes) : "";
    this.#tree = parse(this.#text);
  }

  /** A value's place by its path; a missing member has its parent's place. */
  at(...segments: Segments): ConfigPlace {
    return placeOf({ path: this.path, text: this.#text }, this.#tree, segments);
  }
}

/** A value's place in any JSON file, as `ConfigPlaces.at` finds it in template.json. */
export function placeIn(file: { path: string; text: string }, segments: Segments): ConfigPlace {
  return placeOf(file, parse(file.text), segments);
}

function parse(text: string): Node | undefined {
  return parseTree(text, [], { allowTrailingComma: true });
}

function placeOf(
  { path, text }: { path: string; text: string },
  tree: Node | undefined,
  segments: Segments,
): ConfigPlace {
  let node = tree;
  for (const segment of segments) {
    const next = child(node, segment);
    if (!next) break;
    node = next;
  }
  const pointer = segments.map((segment) => `/${pointerToken(String(segment))}`).join("");
  const position = node ? positionAt(text, node.offset) : { line: null, column: null };
  return { path, pointer, ...position };
}

function child(node: Node | undefined, segment: string | number): Node | undefined {
  if (node?.type === "array" && typeof segment === "number") return node.children?.[segment];
  if (node?.type !== "object") return undefined;
  // names in template.json are case-insensitive
  const key = String(segment).toLowerCase();
  const namesakes = node.children?.filter(({ children }) => String(children?.[0]?.value).toLowerCase() === key) ?? [];
  const exact = namesakes.find(({ children }) => children?.[0]?.value === segment) ?? namesakes[0];
  return exact?.children?.[1];
}
