import { FileOutage, isFileOutage } from "../errors/file-failure.js";

/** Thrown when a request's target is blocked. Nothing was sent. */
export class EgressBlockedError extends Error {
  override readonly name = "EgressBlockedError";

  constructor(readonly reason: string) {
    super(`outgoing request refused: ${reason}`);
  }
}

/** How an outgoing request failed; it decides whether a retry makes sense. */
export type EgressFailureKind = "connect" | "timeout" | "tls" | "reset" | "protocol";

/** Thrown when an allowed target gave no usable answer. */
export class EgressFailure extends Error {
  override readonly name = "EgressFailure";

  constructor(
    readonly kind: EgressFailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const kindByCode: Record<string, EgressFailureKind> = {
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ETIMEDOUT: "timeout",
  ETIMEOUT: "timeout",
  ECONNREFUSED: "connect",
  EHOSTUNREACH: "connect",
  ENETUNREACH: "connect",
  EADDRNOTAVAIL: "connect",
  EACCES: "connect",
  ENOTFOUND: "connect",
  EAI_AGAIN: "connect",
  ESERVFAIL: "connect",
  EREFUSED: "connect",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  EPROTO: "tls",
};

const tlsCode =
  /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/**
 * Maps error codes from undici, Node and OpenSSL to the kinds that matter for a retry. Missing file descriptors are not
 * the target's failure.
 */
export function egressFailure(error: unknown): EgressBlockedError | EgressFailure | FileOutage {
  if (error instanceof EgressBlockedError || error instanceof EgressFailure || error instanceof FileOutage)
    return error;
  if (isFileOutage(error))
    return new FileOutage("EMFILE", "No connection can be opened, since no file descriptor is left", { cause: error });
  const { code, message } = error as { code?: unknown; message?: unknown };
  const word = typeof code === "string" ? code : "";
  const kind = kindByCode[word] ?? (tlsCode.test(word) ? "tls" : "protocol");
  return new EgressFailure(kind, typeof message === "string" && message !== "" ? message : word, { cause: error });
}
