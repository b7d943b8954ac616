import type { TemplateConfig } from "../configuration/template-config.js";
import type { FileTree } from "../files/file-tree.js";
import type { RenderReport } from "../findings/render-report.js";
import type { SymbolTable, TextReplacement } from "../symbols/symbol-table.js";
import { asBuffer, decodeBody, detectEncoding, encodeBody } from "../text/encodings.js";
import { token } from "./byte-trie.js";
import { ConditionReader } from "./condition-reader.js";
import { FileOperations } from "./file-operations.js";
import { replacement } from "./replacement.js";
import type { Operation } from "./text-run.js";

/** Larger text files are copied without processing. */
const maxProcessedBytes = 5 * 1024 * 1024;

const sniffedBytes = 8 * 1024;

/** Applies conditions, flags, replacements and custom operations to file content. */
export class ContentRewriter {
  readonly #operations: FileOperations;
  readonly #conditions: ConditionReader;
  readonly #report: RenderReport;

  constructor(
    pack: { config: TemplateConfig; files: FileTree },
    { variables, replacements }: SymbolTable,
    report: RenderReport,
  ) {
    this.#report = report;
    this.#conditions = new ConditionReader(variables, report);
    this.#operations = new FileOperations({
      config: pack.config,
      variables,
      conditions: this.#conditions,
      replacements: replacements.flatMap(replacementOperations),
      report,
      read: (path) => pack.files.get(path.replace(/^(?:\.?\/)+/, ""))?.bytes,
    });
  }

  rewrite(path: string, bytes: Uint8Array): Uint8Array {
    if (bytes.length > maxProcessedBytes) {
      if (!isBinary(bytes))
        this.#report.warn("FileTooLarge", `${path} is larger than 5 MiB and is copied without processing.`);
      return bytes;
    }
    this.#conditions.path = path;
    const pass = this.#operations.passFor(path);
    const { encoding, bomLength } = detectEncoding(bytes);
    const body = bytes.subarray(bomLength);
    if (encoding === "utf8") {
      const rewritten = pass.apply(body);
      if (rewritten === body) return bytes;
      return bomLength === 0 ? rewritten : Buffer.concat([bytes.subarray(0, bomLength), rewritten]);
    }
    const text = decodeBody(body, encoding);
    if (!encodeBody(text, encoding).equals(body)) {
      this.#report.warn("EncodingUnreadable", `${path} is not valid ${encoding} and is copied without processing.`);
      return bytes;
    }
    const source = Buffer.from(text, "utf8");
    const result = pass.apply(source);
    if (result === source) return bytes;
    return Buffer.concat([bytes.subarray(0, bomLength), encodeBody(asBuffer(result).toString("utf8"), encoding)]);
  }
}

function replacementOperations({ from, to, onlyIf }: TextReplacement): Operation[] {
  const { core } = token(from);
  const contexts = onlyIf.length === 0 ? [{ before: null, after: null }] : onlyIf;
  return contexts.flatMap((context) => {
    // `onlyIf.after` is the text before the token: the token is replaced only after that text
    const tokenInContext = { core, before: bytesOf(context.after), after: bytesOf(context.before) };
    return replacement(tokenInContext, to) ?? [];
  });
}

function bytesOf(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text, "utf8");
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, sniffedBytes).includes(0);
}
