/** The longest body with an evaluation context. */
export const maxContextBytes = 64 * 1024;

const errorCodes: Readonly<Record<string, string | undefined>> = {
  MALFORMED_JSON: "PARSE_ERROR",
  UNSUPPORTED_MEDIA_TYPE: "PARSE_ERROR",
  PAYLOAD_TOO_LARGE: "INVALID_CONTEXT",
};

/** The members by which OFREP clients understand a platform problem, where it is about one flag with its key. */
export function ofrepMembers(problem: Readonly<Record<string, unknown>>, key?: string): Record<string, unknown> {
  const code = String(problem["code"]);
  const tooLarge = `The body is larger than ${maxContextBytes / 1024} KiB, which is the limit of an evaluation context.`;
  const detail = code === "PAYLOAD_TOO_LARGE" ? tooLarge : problem["detail"];
  return {
    detail,
    ...(key === undefined ? {} : { key }),
    errorCode: errorCodes[code] ?? "GENERAL",
    errorDetails: detail,
  };
}
