import { applyEdits, modify, parse } from "jsonc-parser";
import { isJsonObject, type JsonValue } from "./json-value.js";
import { parseJsonc } from "./jsonc.js";

interface JsonProperty {
  parentPath: readonly string[];
  name: string;
  /** A text's value: parsed as JSON, or the text itself when it is not JSON. */
  value: string;
  createsPath: boolean;
}

/** Sets a property in a JSON text; undefined when its parent is missing or the text is not a JSON object. */
export function withJsonProperty(document: string, property: JsonProperty): string | undefined {
  const mark = document.startsWith("\ufeff") ? "\ufeff" : "";
  const text = document.slice(mark.length);
  const { value: root } = parseJsonc(text);
  if (root === null || !parentExists(root, property)) return undefined;
  const edits = modify(text, [...property.parentPath, property.name], jsonOrText(property.value), {
    formattingOptions: {
      insertSpaces: !/^\t/m.test(text),
      tabSize: indentOf(text),
      eol: text.includes("\r\n") ? "\r\n" : "\n",
    },
  });
  return mark + applyEdits(text, edits);
}

function parentExists(root: JsonValue, { parentPath, createsPath }: JsonProperty): boolean {
  let node: JsonValue | undefined = root;
  for (const name of parentPath) {
    if (!isJsonObject(node)) return false;
    if (!Object.hasOwn(node, name)) return createsPath;
    node = node[name];
  }
  return isJsonObject(node);
}

function jsonOrText(value: string): unknown {
  const errors: Parameters<typeof parse>[1] = [];
  const json: unknown = parse(value, errors, { allowTrailingComma: false, disallowComments: true });
  return errors.length === 0 && value.trim() !== "" ? json : value;
}

function indentOf(text: string): number {
  return /^( +)"/m.exec(text)?.[1]?.length ?? 2;
}
