import type { FileTree } from "../../engine/file-tree.js";
import type { Finding } from "../../engine/finding.js";

export interface CheckSubject {
  readonly parameterSchema: unknown;
  readonly targetFramework: string;
}

export interface CheckOutcome {
  findings: Finding[];
  samples: number;
}

/** One check of a template source. Runs foreign patterns and expressions: call it under a time limit. */
export async function runCheck(check: string, _files: FileTree, _subject: CheckSubject): Promise<CheckOutcome> {
  throw new Error(`There is no check "${check}".`);
}
