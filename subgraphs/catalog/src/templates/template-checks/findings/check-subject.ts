import type { Finding } from "@factory/template-engine/finding";
import type { TemplateChoice } from "@factory/template-engine/template-choice";

/** The facts about a template version that its files are checked against. */
export interface CheckSubject {
  readonly parameterSchema: unknown;
  readonly targetFramework: string;
  /** Chooses one template where the source has several. */
  readonly template?: TemplateChoice;
  /** Whether to report findings with severity Info too. */
  readonly withInfo?: boolean;
}

/** One check's result; `samples` counts the renders that SampleGeneration made. */
export interface CheckOutcome {
  findings: Finding[];
  samples: number;
}
