import { decideCondition } from "../conditions/evaluate-condition.js";
import { textOf, type Variables } from "../conditions/symbol-value.js";
import type { TemplateConfig } from "../configuration/template-config.js";
import { parseGlob } from "../files/glob.js";
import type { RenderReport } from "../findings/render-report.js";
import type { JsonObject } from "../json/json-value.js";
import { booleanMember, objectMember, textMember } from "../json/jsonc.js";
import { token } from "./byte-trie.js";
import { styleOperations } from "./comment-styles.js";
import type { ConditionReader } from "./condition-reader.js";
import { customOperations } from "./custom-operations.js";
import { type FileKind, fileKinds, otherFiles, unknownFiles } from "./file-kinds.js";
import { IfDirective } from "./if-directive.js";
import type { ReadTemplateFile } from "./include-file.js";
import { replacement } from "./replacement.js";
import { standardFlags, switchFor } from "./set-flag.js";
import { type Operation, TextPass } from "./text-run.js";

interface FileOperationsContext {
  config: TemplateConfig;
  variables: Variables;
  conditions: ConditionReader;
  replacements: readonly Operation[];
  report: RenderReport;
  read: ReadTemplateFile;
}

interface Row {
  glob: string;
  kind: FileKind;
  custom: JsonObject | null;
}

/** Selects the operations for a file by the template's globs, then by the built-in table. */
export class FileOperations {
  readonly #rows: readonly Row[];
  readonly #others: Row;
  readonly #passes = new Map<string, TextPass>();
  readonly #context: FileOperationsContext;

  constructor(context: FileOperationsContext) {
    this.#context = context;
    const { config, variables, report } = context;
    const rows: Row[] = [];
    const globs = new Set<string>();
    for (const [glob, custom] of config.specialCustomOperations) {
      // a glob whose condition is false also removes the built-in row with the same glob
      globs.add(glob);
      if (!decideCondition(textMember(custom, "condition"), variables, report)) continue;
      rows.push({ glob, kind: fileKinds.find((row) => row.glob === glob) ?? unknownFiles, custom });
    }
    const builtIn = fileKinds.filter((row) => !globs.has(row.glob));
    this.#rows = [...rows, ...builtIn.map((kind) => ({ glob: kind.glob, kind, custom: null }))];
    this.#others = { glob: "", kind: otherFiles, custom: config.globalCustomOperations };
  }

  passFor(path: string): TextPass {
    const row = this.#rows.find(({ glob }) => parseGlob(glob).matches(path)) ?? this.#others;
    // files of the same kind share their operations
    const key = row.custom === null ? `${row.kind.style} ${row.kind.flagPrefix}` : `custom ${row.glob}`;
    let pass = this.#passes.get(key);
    if (pass === undefined) {
      pass = new TextPass(this.#operationsOf(row));
      this.#passes.set(key, pass);
    }
    return pass;
  }

  #operationsOf({ kind, custom }: Row): Operation[] {
    const { conditions, variables, report, read } = this.#context;
    const variableSetup = custom === null ? null : objectMember(custom, "variableFormat");
    const format = (variableSetup === null ? null : textMember(variableSetup, "fallbackFormat")) ?? "{0}";
    const evaluators = {
      at: (name: Parameters<ConditionReader["at"]>[0]) => conditions.at(name, format),
      attribute: conditions.attribute,
    };
    const prefix = (custom === null ? null : textMember(custom, "flagPrefix")) || kind.flagPrefix;
    const operations = customOperations(custom, { evaluators, variables, report, read });
    const replacesConditionals = operations.some((operation) => operation instanceof IfDirective);
    const standard = styleOperations(kind.style, evaluators).filter(
      (operation) => !(replacesConditionals && operation instanceof IfDirective),
    );
    const ids = new Set(standard.map((operation) => operation.id).filter((id) => id !== null));
    const expands = variableSetup !== null && booleanMember(variableSetup, "expand");
    return [
      ...operations,
      ...standard,
      ...standardFlags(prefix),
      ...Array.from(ids, (id) => switchFor(id, prefix, id)),
      ...this.#context.replacements,
      ...(expands ? expansions(variables, format) : []),
    ];
  }
}

/** Replaces symbol names in the content with their values. */
function expansions(variables: Variables, format: string): Operation[] {
  return [...variables].flatMap(([name, value]) => {
    const text = value === null ? "null" : textOf(value);
    return replacement(token(format.replaceAll("{0}", () => name)), text) ?? [];
  });
}
