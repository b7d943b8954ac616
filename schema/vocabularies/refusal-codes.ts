import type { ErrorCode } from "../error-codes.js";

/** The code with which REST refuses an unknown value, by enum. It is PARAMETERS_INVALID for all other enums. */
export const refusalCodes: Readonly<Record<string, ErrorCode | undefined>> = {
  EngineKind: "ENGINE_KIND_NOT_SUPPORTED",
  TemplateCheck: "CHECK_UNKNOWN",
  ConflictStrategy: "TARGET_INVALID",
};
