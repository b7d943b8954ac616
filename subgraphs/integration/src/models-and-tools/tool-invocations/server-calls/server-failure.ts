import { DomainError } from "@factory/runtime/errors/domain-error";

/** JSON-RPC 2.0, section 5.1. */
const invalidParams = -32602;
const requestTimeout = "REQUEST_TIMEOUT";

/** The refusal for an error of the client of the protocol. Its message may repeat texts of the server, so it is left out. */
export function serverFailure(error: unknown, failedStatus: number | undefined): unknown {
  if (error instanceof DomainError) return error;
  const { code } = error as { readonly code?: unknown };
  if (code === requestTimeout)
    return new DomainError("UPSTREAM_TIMEOUT", { detail: "The tool server did not answer in time." });
  if (failedStatus === 401 || failedStatus === 403)
    return new DomainError("CREDENTIAL_REJECTED", {
      detail: `The tool server has refused the credential of the connection with the status ${failedStatus}.`,
    });
  if (code === invalidParams)
    return new DomainError("VALIDATION_FAILED", {
      detail: "The tool server does not know the tool, or has refused its arguments.",
    });
  if (typeof code === "number")
    return new DomainError("UPSTREAM_FAILED", {
      detail: `The tool server has refused the request with the code ${code}.`,
    });
  return new DomainError("UPSTREAM_FAILED", {
    detail:
      failedStatus === undefined
        ? "The answer of the tool server does not follow its protocol."
        : `The tool server has answered with the status ${failedStatus}.`,
  });
}
