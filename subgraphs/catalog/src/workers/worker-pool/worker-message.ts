import type { Finding } from "@factory/template-engine/finding";
import type { TemplateErrorCode } from "@factory/template-engine/template-error";
import type { PackedFiles } from "./packed-tree.js";

/** The request to a worker process. File bytes are sent separately, in both directions. */
export interface WorkerRequest {
  readonly task: string;
  readonly input: unknown;
  readonly files: PackedFiles;
}

/**
 * The answer of a worker process. Errors lose their class between processes, so an answer names the kind of the error.
 */
export type WorkerAnswer =
  | { readonly kind: "done"; readonly output: unknown; readonly files: PackedFiles }
  /** A TemplateError: the template or its parameters are at fault. */
  | {
      readonly kind: "refused";
      readonly code: TemplateErrorCode;
      readonly message: string;
      readonly findings: Finding[];
    }
  /** Any other error: a bug. */
  | { readonly kind: "broken"; readonly message: string; readonly stack: string | undefined };
