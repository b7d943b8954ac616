import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import { tree } from "@factory/template-engine/template-pack.fixture";
import type { FindingCode } from "../findings/finding-codes.js";
import { structuralLint } from "./structural-lint.js";

export type Files = Record<string, string | Uint8Array>;

/** The metadata that every template must have. */
export const sound = { identity: "T.One", name: "One", shortName: "one" };

export const configPath = ".template.config/template.json";

export function pack(config: object, files: Files = { "a.txt": "a" }) {
  return tree({ [configPath]: JSON.stringify({ ...sound, ...config }, null, 2), ...files });
}

/** The StructuralLint findings, except those with severity Info. */
export function reported(files: FileTree): Finding[] {
  return structuralLint(files).filter(({ severity }) => severity !== "Info");
}

export function lint(config: object, files?: Files): Finding[] {
  return reported(pack(config, files));
}

export function remarks(config: object, files?: Files): Finding[] {
  return structuralLint(pack(config, files)).filter(({ severity }) => severity === "Info");
}

/** The findings with one code; a small example may cause others too. */
export function lintFor(code: FindingCode, config: object, files?: Files): Finding[] {
  return structuralLint(pack(config, files)).filter((candidate) => candidate.code === code);
}

/** The findings without those about unused or undeclared symbols, which small examples have. */
export function lintApart(config: object, files?: Files): Finding[] {
  const apart = new Set(["UnusedSymbol", "UnknownSymbolInCondition", "ConditionUnparseable"]);
  return lint(config, files).filter(({ code }) => !apart.has(code));
}

export function codes(findings: readonly Finding[]): string[] {
  return findings.map(({ severity, code }) => `${severity} ${code}`);
}
