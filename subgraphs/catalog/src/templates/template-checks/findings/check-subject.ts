import type { Finding } from "@factory/template-engine/finding";
import type { TemplateChoice } from "@factory/template-engine/template-choice";

/** The facts about a template version that its files are checked against. */
export interface CheckSubject {
  readonly parameterSchema: unknown;
  readonly targetFramework: string;
  /** The choice of one template where the source has several. */
  readonly template?: TemplateChoice;
  /** Whether to report findings of severity Info too. */
  readonly withInfo?: boolean;
}

/** The result of one check; `samples` counts the renders that SampleGeneration made. */
export interface CheckOutcome {
  findings: Finding[];
  samples: number;
}
