import { decodeText } from "@factory/template-engine/encodings";
import { positionAt } from "@factory/template-engine/jsonc";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { type Node, parseTree } from "jsonc-parser";

const configPath = ".template.config/template.json";

export interface ConfigPlace {
  path: string;
  pointer: string;
  line: number | null;
  column: number | null;
}

type Segments = readonly (string | number)[];

/** Tells where in template.json a pointer leads. */
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

  /** The nearest written value: a member that is missing is placed at its parent. */
  at(...segments: Segments): ConfigPlace {
    return placeOf({ path: this.path, text: this.#text }, this.#tree, segments);
  }
}

/** The same in another JSON file. */
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
  const pointer = segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  const position = node ? positionAt(text, node.offset) : { line: null, column: null };
  return { path, pointer, ...position };
}

function child(node: Node | undefined, segment: string | number): Node | undefined {
  if (node?.type === "array" && typeof segment === "number") return node.children?.[segment];
  if (node?.type !== "object") return undefined;
  // names in template.json are matched without regard to case
  const folded = String(segment).toLowerCase();
  const named = node.children?.filter(({ children }) => String(children?.[0]?.value).toLowerCase() === folded) ?? [];
  const exact = named.find(({ children }) => children?.[0]?.value === segment) ?? named[0];
  return exact?.children?.[1];
}
