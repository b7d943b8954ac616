import type { UpgradeAdvice, UpgradeInput } from "../compatibility/evaluate-upgrade.js";
import type { Finding } from "../engine/finding.js";
import type { TemplateErrorCode } from "../engine/template-error.js";
import type { CheckedParameters } from "../parameters/parameter-schema.js";
import type { PackedTree } from "./packed-tree.js";

export interface RenderOrder {
  readonly name: string | undefined;
  /** Stands in when neither the request nor the template names the scaffold. */
  readonly fallbackName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly seed: string;
  readonly now: Date;
  /** Of the template version; compared with the SDK that the template asks for. */
  readonly targetFramework?: string;
}

export type RenderingRequest =
  | { readonly kind: "render"; readonly tree: PackedTree; readonly order: RenderOrder }
  | { readonly kind: "parameters"; readonly schema: unknown; readonly parameters: unknown }
  | { readonly kind: "upgrade"; readonly input: UpgradeInput }
  | {
      readonly kind: "check";
      readonly tree: PackedTree;
      readonly check: string;
      readonly parameterSchema: unknown;
      readonly targetFramework: string;
      readonly withInfo?: boolean;
    };

export interface Rendered {
  readonly kind: "rendered";
  readonly tree: PackedTree;
  readonly primaryOutputs: string[];
  readonly manualInstructions: { text: string; actionId: string | null }[];
  readonly warnings: { code: string; message: string }[];
}

export type RenderingAnswer =
  | Rendered
  | { readonly kind: "parameters"; readonly checked: CheckedParameters }
  | { readonly kind: "upgrade"; readonly advice: UpgradeAdvice }
  | { readonly kind: "checked"; readonly findings: Finding[]; readonly samples: number }
  | {
      readonly kind: "refused";
      readonly code: TemplateErrorCode;
      readonly message: string;
      readonly findings: Finding[];
    }
  | { readonly kind: "broken"; readonly message: string; readonly stack: string | undefined };
