import { FlowReader } from "./yaml-flow.js";

export interface YamlFault {
  message: string;
  line: number;
  column: number;
}

/** Other template languages write YAML that is none before they have run. */
const otherLanguage = /\{\{|\{%|<%|\$\{\{/;
const blockScalar = /(?:^|[\s:-])[|>][+-]?[1-9]?[+-]?$/;

/**
 * Faults of a YAML text that every reader of YAML stumbles over: tabs before the content, an indentation that fits no
 * level, a mapping inside a plain value, quotes and brackets left open. What is not sure to be a fault passes.
 */
export function yamlFault(text: string): YamlFault | undefined {
  return otherLanguage.test(text) ? undefined : new Lines().fault(text);
}

class Lines {
  #levels: number[] = [];
  /** What has this indentation or less ends a block scalar. */
  #scalarAbove: number | undefined;
  #flow = new FlowReader();

  fault(text: string): YamlFault | undefined {
    const lines = text.split(/\r\n|\n|\r/);
    for (const [index, line] of lines.entries()) {
      const found = this.#line(line, index + 1);
      if (found) return found;
    }
    return this.#flow.leftOpen();
  }

  #line(line: string, number: number): YamlFault | undefined {
    if (this.#flow.isOpen) return this.#flow.read(line, { line: number, column: 1 });
    const content = line.trimStart();
    if (content === "") return undefined;
    const indent = line.length - content.length;
    if (this.#scalarAbove !== undefined) {
      if (indent > this.#scalarAbove) return undefined;
      this.#scalarAbove = undefined;
    }
    if (content.startsWith("#")) return undefined;
    if (line.slice(0, indent).includes("\t")) return { message: "a tab indents the line", line: number, column: 1 };
    if (/^(?:---|\.\.\.)(?:\s|$)/.test(line) || line.startsWith("%")) {
      this.#levels = [];
      return undefined;
    }
    return this.#entry(content, indent, number);
  }

  #entry(content: string, indent: number, number: number): YamlFault | undefined {
    let at = indent;
    let rest = content;
    const dashes = /^(?:-[ ]+)+|^-$/.exec(rest)?.[0];
    const key = keyOf(dashes ? rest.slice(dashes.length) : rest);
    // the further line of a plain value has the indentation it likes
    if (!dashes && key === undefined) return this.#value(rest, { at, indent, number });
    if (!this.#enter(indent))
      return { message: "the indentation fits no level above", line: number, column: indent + 1 };
    if (dashes) {
      at += dashes.length;
      rest = rest.slice(dashes.length);
      if (key !== undefined) this.#levels.push(at);
    }
    if (key === undefined) return this.#value(rest, { at, indent, number });
    return this.#value(rest.slice(key.length).trimStart(), {
      at: at + key.length + (rest.slice(key.length).length - rest.slice(key.length).trimStart().length),
      indent,
      number,
      keyed: true,
    });
  }

  #enter(indent: number): boolean {
    const deepest = this.#levels.at(-1);
    if (deepest === undefined || indent > deepest) {
      this.#levels.push(indent);
      return true;
    }
    while ((this.#levels.at(-1) ?? -1) > indent) this.#levels.pop();
    return this.#levels.at(-1) === indent;
  }

  #value(
    value: string,
    { at, indent, number, keyed = false }: { at: number; indent: number; number: number; keyed?: boolean },
  ): YamlFault | undefined {
    if (/^["'[{]/.test(value)) {
      this.#flow = new FlowReader({ line: number, column: at + 1 });
      return this.#flow.read(value, { line: number, column: at + 1 });
    }
    const plain = value.replace(/(?:^|\s)#.*$/, "").trimEnd();
    if (blockScalar.test(plain)) {
      this.#scalarAbove = indent;
      return undefined;
    }
    const inner = keyed && !/^[&*!]/.test(plain) ? plain.search(/:(?:\s|$)/) : -1;
    if (inner < 0) return undefined;
    return { message: "a mapping stands inside a plain value", line: number, column: at + inner + 1 };
  }
}

/** A plain or quoted key with its colon, as it begins an entry. */
function keyOf(text: string): string | undefined {
  return /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[\]{},#&*!|>%@`-][^#\n]*?|-[^\s#:][^#:]*?)\s*:(?=\s|$)/.exec(
    text,
  )?.[0];
}
