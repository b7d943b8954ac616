import type { Finding } from "@factory/template-engine/finding";
import type { JsonObject } from "@factory/template-engine/json-value";
import type { PatternLimits } from "@factory/template-engine/pattern-time-limit";
import type { TargetEdit } from "@factory/template-engine/target-edits";
import type { TargetFiles } from "@factory/template-engine/target-files";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import type { TemplateErrorCode } from "@factory/template-engine/template-error";
import type { UpgradeAdvice, UpgradeInput } from "../compatibility/evaluate-upgrade.js";
import type { CheckedParameters } from "../parameters/parameter-schema.js";
import type { SchemaFault } from "../parameters/schema-fitness.js";
import type { PackedFiles } from "../worker-pool/packed-tree.js";

export interface RenderOrder {
  readonly name: string | undefined;
  /** Stands in when neither the request nor the template names the scaffold. */
  readonly fallbackName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly seed: string;
  readonly now: Date;
  /** Of the template version; compared with the SDK that the template asks for. */
  readonly targetFramework?: string;
  /** Which template of the files is meant. */
  readonly template?: TemplateChoice;
  /** What the template may look at; its directory is the folder of everything that is produced. */
  readonly target?: TargetFiles;
  /** Where the template prefers it and the name was given, a folder of that name holds everything. */
  readonly nameDirectory?: boolean;
  readonly patternLimits?: PatternLimits | undefined;
}

/** A file tree's bytes travel beside the request and the answer. */
export type RenderingRequest =
  | { readonly kind: "render"; readonly files: PackedFiles; readonly order: RenderOrder }
  | {
      readonly kind: "parameters";
      readonly schema: unknown;
      readonly parameters: unknown;
      readonly templateNames?: readonly string[] | undefined;
    }
  | { readonly kind: "schema"; readonly schema: JsonObject }
  | { readonly kind: "upgrade"; readonly input: UpgradeInput }
  | {
      readonly kind: "check";
      readonly files: PackedFiles;
      readonly check: string;
      readonly parameterSchema: unknown;
      readonly targetFramework: string;
      readonly template?: TemplateChoice;
      readonly withInfo?: boolean;
    };

export interface Rendered {
  readonly kind: "rendered";
  readonly files: PackedFiles;
  readonly primaryOutputs: string[];
  readonly manualInstructions: { text: string; actionId: string | null }[];
  readonly warnings: { code: string; message: string }[];
  readonly edits: TargetEdit[];
}

export type RenderingAnswer =
  | Rendered
  | { readonly kind: "parameters"; readonly checked: CheckedParameters }
  | { readonly kind: "schema"; readonly fault: SchemaFault | undefined }
  | { readonly kind: "upgrade"; readonly advice: UpgradeAdvice }
  | { readonly kind: "checked"; readonly findings: Finding[]; readonly samples: number }
  | {
      readonly kind: "refused";
      readonly code: TemplateErrorCode;
      readonly message: string;
      readonly findings: Finding[];
    }
  | { readonly kind: "broken"; readonly message: string; readonly stack: string | undefined };
