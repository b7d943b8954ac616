import type { Finding } from "@factory/template-engine/finding";
import type { TemplateChoice } from "@factory/template-engine/template-choice";

export interface CheckSubject {
  readonly parameterSchema: unknown;
  readonly targetFramework: string;
  /** Which template of the source is meant. */
  readonly template?: TemplateChoice;
  /** Whether to report what is no more than a remark. */
  readonly withInfo?: boolean;
}

export interface CheckOutcome {
  findings: Finding[];
  samples: number;
}
