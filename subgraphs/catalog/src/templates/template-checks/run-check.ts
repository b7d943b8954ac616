import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import type { CheckOutcome, CheckSubject } from "./findings/check-subject.js";
import { type CheckName, checkNames } from "./findings/finding-codes.js";
import { parameterSchemaCheck } from "./parameter-schema/parameter-schema-check.js";
import { sampleGeneration } from "./sample-generation/sample-generation.js";
import { structuralLint } from "./structural-lint/structural-lint.js";

/** Findings are stored with the result, so their number is limited. */
const maxFindings = 200;

/** Runs one check on a template's files. It runs foreign regular expressions: call it under a time limit. */
export async function runCheck(check: string, files: FileTree, subject: CheckSubject): Promise<CheckOutcome> {
  const { findings, samples } = await outcomeOf(check, files, subject);
  const relevant = findings.filter(({ severity }) => subject.withInfo === true || severity !== "Info").sort(byPlace);
  return { findings: relevant.slice(0, maxFindings), samples };
}

async function outcomeOf(check: string, files: FileTree, subject: CheckSubject): Promise<CheckOutcome> {
  switch (checkNames.find((name) => name === check) satisfies CheckName | undefined) {
    case "StructuralLint":
      return { findings: structuralLint(files, subject), samples: 0 };
    case "ParameterSchema":
      return { findings: await parameterSchemaCheck(files, subject.parameterSchema, subject.template), samples: 0 };
    case "SampleGeneration":
      return sampleGeneration(files, subject);
    case undefined:
      throw new Error(`The check "${check}" does not exist.`);
  }
}

/** Orders findings by path, line and code. Findings without a path come first. */
function byPlace(a: Finding, b: Finding): number {
  return (
    compare(a.path ?? "", b.path ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compare(a.code, b.code) ||
    compare(a.pointer ?? "", b.pointer ?? "")
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
