import { asBuffer, decodeBody, detectEncoding, encodeBody } from "../encodings.js";
import { attributeEvaluator, type Evaluate, type EvaluatorName, evaluatorFor } from "../expressions/evaluate.js";
import type { Variables } from "../expressions/value.js";
import type { RenderReport } from "../render-report.js";
import type { TextReplacement } from "../symbols/symbol-table.js";
import { afterLineEnd } from "./byte-sink.js";
import { token } from "./byte-trie.js";
import { type Evaluators, styleOperations } from "./comment-styles.js";
import { type FileKind, fileKindOf } from "./file-table.js";
import { replacement } from "./replacement.js";
import { standardFlags, switchFor } from "./set-flag.js";
import { type Operation, TextPass } from "./text-run.js";

/** Larger text files are copied as they are. */
export const MAX_PROCESSED_BYTES = 5 * 1024 * 1024;

// a condition longer than this is no condition
const MAX_CONDITION_BYTES = 16 * 1024;
const SNIFFED_BYTES = 8 * 1024;

/** Applies conditions, flags and replacements to file contents. */
export class ContentRewriter {
  private readonly passes = new Map<string, TextPass>();
  private readonly replacements: readonly Operation[];
  private readonly evaluators: Evaluators;
  private path = "";

  constructor(
    variables: Variables,
    replacements: readonly TextReplacement[],
    private readonly report: RenderReport,
  ) {
    this.replacements = replacements.flatMap(replacementOperations);
    this.evaluators = this.makeEvaluators(variables);
  }

  rewrite(path: string, bytes: Uint8Array): Uint8Array {
    this.path = path;
    if (bytes.length > MAX_PROCESSED_BYTES) {
      if (!isBinary(bytes)) this.report.warn("FileTooLarge", `${path} is copied without processing.`);
      return bytes;
    }
    const pass = this.passFor(fileKindOf(path));
    const { encoding, bomLength } = detectEncoding(bytes);
    const body = bytes.subarray(bomLength);
    if (encoding === "utf8") {
      const rewritten = pass.apply(body);
      if (rewritten === body) return bytes;
      return bomLength === 0 ? rewritten : Buffer.concat([bytes.subarray(0, bomLength), rewritten]);
    }
    const text = decodeBody(body, encoding);
    if (!encodeBody(text, encoding).equals(body)) {
      this.report.warn("EncodingUnreadable", `${path} is not valid ${encoding} and is copied without processing.`);
      return bytes;
    }
    const source = Buffer.from(text, "utf8");
    const result = pass.apply(source);
    if (result === source) return bytes;
    return Buffer.concat([bytes.subarray(0, bomLength), encodeBody(asBuffer(result).toString("utf8"), encoding)]);
  }

  private passFor(kind: FileKind): TextPass {
    const key = `${kind.style} ${kind.flagPrefix}`;
    let pass = this.passes.get(key);
    if (pass === undefined) {
      pass = new TextPass(this.operationsOf(kind));
      this.passes.set(key, pass);
    }
    return pass;
  }

  private operationsOf(kind: FileKind): Operation[] {
    const conditionals = styleOperations(kind.style, this.evaluators);
    const named = conditionals.filter((operation) => operation.id !== null);
    const switches = named.map((operation) => switchFor(operation.id ?? "", kind.flagPrefix, operation.id ?? ""));
    return [...conditionals, ...standardFlags(kind.flagPrefix), ...switches, ...this.replacements];
  }

  private makeEvaluators(variables: Variables): Evaluators {
    const known = new Map<EvaluatorName, Evaluate>();
    const attribute = attributeEvaluator(variables);
    return {
      at: (name) => (source, position) => {
        let evaluate = known.get(name);
        if (evaluate === undefined) {
          evaluate = evaluatorFor(name, variables);
          known.set(name, evaluate);
        }
        return this.decideAt(evaluate, source, position);
      },
      attribute: (condition) => {
        const { value, fault } = attribute(condition);
        return fault === null ? value : undefined;
      },
    };
  }

  private decideAt(evaluate: Evaluate, source: Uint8Array, position: number): { value: boolean; end: number } {
    const window = source.subarray(position, position + MAX_CONDITION_BYTES);
    const line = asBuffer(window.subarray(0, afterLineEnd(window, 0)));
    const text = line.toString("utf8");
    const valid = !text.includes("\ufffd");
    const { value, length, fault } = evaluate(valid ? text : line.toString("latin1"));
    if (fault !== null) {
      this.report.warn("ConditionUnparseable", `${this.path}: "${shortened(text)}" is read as ${value}: ${fault}.`);
    }
    return { value, end: position + (valid ? Buffer.byteLength(text.slice(0, length), "utf8") : length) };
  }
}

function replacementOperations({ from, to, onlyIf }: TextReplacement): Operation[] {
  const plain = token(from);
  const contexts = onlyIf.length === 0 ? [{ before: null, after: null }] : onlyIf;
  return contexts.flatMap(({ before, after }) => {
    const operation = replacement({ core: plain.core, before: bytesOf(after), after: bytesOf(before) }, to);
    return operation === null ? [] : [operation];
  });
}

// `onlyIf.after` names what stands in front: the token is replaced only after it
function bytesOf(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text, "utf8");
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 80 ? `${trimmed.slice(0, 80)}…` : trimmed;
}
