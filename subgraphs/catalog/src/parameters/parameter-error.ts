import type { ParameterErrorCode } from "./keyword-rules.js";

export interface ParameterError {
  /** Into the parameters object, e.g. `/HttpPort`. */
  pointer: string;
  keyword: string;
  code: ParameterErrorCode;
  detail: string;
}
