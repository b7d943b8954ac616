import { createHash } from "node:crypto";
import { mentionedNames } from "@factory/template-engine/dependency-order";
import { decodeText } from "@factory/template-engine/encodings";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import { positionAt } from "@factory/template-engine/jsonc";
import { directivesOf } from "../content/directives.js";
import { isBinary } from "../content/template-texts.js";
import { finding } from "../findings/finding-codes.js";
import { formFault, isYaml } from "./well-formed.js";

const maxInspectedBytes = 5 * 1024 * 1024;
/** All YAML texts in one check together. YAML is slow to parse, and more would take all the check's time. */
const maxYamlLength = 2 * 1024 * 1024;
/** A shorter name is often part of other words, so it is compared case-sensitively. */
const distinctNameLength = 8;

/** Template names that must not be left in produced files. */
interface InspectionFacts {
  readonly sourceName: string | null;
  readonly symbolNames: readonly string[];
}

/** Inspects the files in samples. A file that is the same in several samples is inspected once. */
export class OutputInspector {
  readonly #facts: InspectionFacts;
  readonly #seen = new Set<string>();
  #yamlLength = 0;

  constructor(facts: InspectionFacts) {
    this.#facts = facts;
  }

  inspect(files: FileTree, name: string): Finding[] {
    const findings: Finding[] = [];
    for (const [path, { bytes }] of files) {
      if (bytes.length > maxInspectedBytes) continue;
      const digest = `${path}\0${createHash("sha1").update(bytes).digest("base64")}`;
      if (this.#seen.has(digest)) continue;
      this.#seen.add(digest);
      if (isBinary(bytes)) continue;
      const text = decodeText(bytes);
      findings.push(
        ...this.#notWellFormed(path, text),
        ...this.#directiveLeft(path, text),
        ...this.#tokenLeft({ path, text, name }),
      );
    }
    return findings;
  }

  #notWellFormed(path: string, text: string): Finding[] {
    if (isYaml(path)) this.#yamlLength += text.length;
    const fault = this.#yamlLength > maxYamlLength && isYaml(path) ? undefined : formFault(path, text);
    if (!fault) return [];
    const { message, line, column } = fault;
    return [finding("NotWellFormed", `The produced file is not well-formed: ${message}.`, { path, line, column })];
  }

  /** Finds a directive that names a template symbol; other directives may belong to the programming language. */
  #directiveLeft(path: string, text: string): Finding[] {
    const directive = directivesOf(path, text).find(
      ({ keyword, rest }) =>
        (keyword === "if" || keyword === "elseif") && mentionedNames(rest, this.#facts.symbolNames).length > 0,
    );
    if (!directive) return [];
    const { keyword, line, column } = directive;
    return [
      finding(
        "DirectiveLeft",
        `The produced file still contains an unprocessed #${keyword} that names a symbol of the template.`,
        {
          path,
          line,
          column,
        },
      ),
    ];
  }

  #tokenLeft({ path, text, name }: { path: string; text: string; name: string }): Finding[] {
    const { sourceName } = this.#facts;
    if (sourceName === null || sourceName === "" || name.toLowerCase().includes(sourceName.toLowerCase())) return [];
    const fold = (value: string) => (sourceName.length >= distinctNameLength ? value.toLowerCase() : value);
    if (fold(path).includes(fold(sourceName)))
      return [finding("TokenLeft", `The path still contains the sourceName "${sourceName}".`, { path })];
    const offset = fold(text).indexOf(fold(sourceName));
    if (offset < 0) return [];
    return [
      finding("TokenLeft", `The produced file still contains the sourceName "${sourceName}".`, {
        path,
        ...positionAt(text, offset),
      }),
    ];
  }
}
