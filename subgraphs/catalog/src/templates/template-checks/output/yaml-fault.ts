import { positionAt } from "@factory/template-engine/jsonc";
import { Composer, isAlias, isCollection, isPair, isScalar, type ParsedNode, Parser, type YAMLError } from "yaml";

interface YamlFault {
  message: string;
  line: number;
  column: number;
}

/** Longer texts are not checked: the parser may need a thousand times the text's memory. */
export const maxYamlLength = 256 * 1024;

/** Signs from another template language, whose texts are valid YAML only after that language has run. */
const otherLanguage = /\{\{|\{%|<%|\$\{\{/;
/** For these faults the library reports where the text ends, not where the bracket or quote opens. */
const leftOpen = /^(?:Missing closing|Flow )/;

/**
 * The first YAML 1.2 fault in any document of a text. Repeated keys and aliases without an anchor count too.
 * Aliases are never expanded, so that time and memory grow with the text's length only.
 */
export function yamlFault(text: string): YamlFault | undefined {
  if (text.length > maxYamlLength || otherLanguage.test(text)) return undefined;
  // a single carriage return ends a line in YAML 1.2, which the library does not know
  const source = text.replace(/\r(?!\n)/g, "\n");
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, logLevel: "silent" });
  // `true` yields an empty document for a text without one, which holds the faults outside documents
  for (const { contents, errors } of composer.compose(new Parser().parse(source), true, source.length)) {
    const fault = syntaxFault(contents, errors) ?? referenceFault(contents);
    if (fault) return { message: fault.message, ...positionAt(source, fault.offset) };
  }
  return undefined;
}

interface Fault {
  message: string;
  offset: number;
}

function syntaxFault(contents: ParsedNode | null, errors: readonly YAMLError[]): Fault | undefined {
  // the file's reader decides which tags it knows
  const [error] = errors.filter(({ code }) => code !== "TAG_RESOLVE_FAILED");
  if (!error) return undefined;
  const [offset] = error.pos;
  if (error.code === "RESOURCE_EXHAUSTION") return { message: "The content nests too deeply", offset };
  return { message: error.message, offset: leftOpen.test(error.message) ? openingBefore(contents, offset) : offset };
}

/** Where the innermost bracket, brace or quote opens that has not ended before the offset. */
function openingBefore(contents: ParsedNode | null, offset: number): number {
  let opening = offset;
  for (const node of nodesOf(contents)) {
    const [start, end] = node.range;
    const hasDelimiters = isCollection(node) ? node.flow === true : isScalar(node) && /^QUOTE/.test(node.type ?? "");
    if (hasDelimiters && start <= offset && end >= offset) opening = start;
  }
  return opening;
}

/** Keys that repeat in one mapping, and aliases that name no anchor above them. */
function referenceFault(contents: ParsedNode | null): Fault | undefined {
  const anchors = new Set<string>();
  for (const node of nodesOf(contents)) {
    const [offset] = node.range;
    if (isAlias(node)) {
      if (!anchors.has(node.source)) return { message: `No anchor "${node.source}" stands above its alias`, offset };
    } else if (node.anchor !== undefined) anchors.add(node.anchor);
    const duplicate = repeatedKey(node);
    if (duplicate) return { message: "Map keys must be unique", offset: duplicate.range[0] };
  }
  return undefined;
}

function repeatedKey(node: ParsedNode): ParsedNode | undefined {
  if (!isCollection(node)) return undefined;
  const keys = new Set<string>();
  return node.items
    .flatMap((item) => (isPair(item) && isScalar(item.key) ? [item.key as ParsedNode] : []))
    .find((key) => {
      const { tag = "", value } = key as { tag?: string; value?: unknown };
      const identity = `${tag} ${typeof value} ${String(value)}`;
      return keys.size === keys.add(identity).size;
    });
}

/** All nodes in text order. Not recursive: a text may nest deeper than the stack. */
function* nodesOf(contents: ParsedNode | null): Generator<ParsedNode> {
  const waiting: unknown[] = [contents];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (isPair(next)) waiting.push(next.value, next.key);
    else if (isCollection(next)) {
      yield next as ParsedNode;
      for (let index = next.items.length - 1; index >= 0; index -= 1) waiting.push(next.items[index]);
    } else if (isScalar(next) || isAlias(next)) yield next as ParsedNode;
  }
}
