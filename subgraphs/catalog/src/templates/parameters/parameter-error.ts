import type { ParameterErrorCode } from "./keyword-rules.js";

/** A fault in one parameter. */
export interface ParameterError {
  /** JSON pointer into the parameters object, for example `/HttpPort`. */
  pointer: string;
  keyword: string;
  code: ParameterErrorCode;
  detail: string;
  /** The schema's author has written the detail (`errorMessage`). */
  ofAuthor?: true;
}
