const maxDetailLength = 2000;

/** The reason why a run, or an attempt, has failed, as its readers see it. */
export interface RunError {
  readonly code: string;
  readonly detail: string;
}

/** The values for the columns `error_code` and `error_detail`: null without an error. */
export const errorColumns = (error?: RunError) => ({
  code: error?.code ?? null,
  detail: error?.detail.slice(0, maxDetailLength) ?? null,
});
