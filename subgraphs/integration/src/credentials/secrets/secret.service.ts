import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import type { CredentialService, OpenCredential } from "../credentials/credential.service.js";
import { credentialName } from "../credentials/credential-name.js";

interface SecretRequest {
  readonly tenantId: string;
  readonly credentialRef: string;
  readonly purpose: string;
  readonly subject: string;
}

type Call = Pick<ServiceCallContext, "caller" | "trace" | "signal">;

/** Control characters are refused, because they could forge a line in the audit log. */
const printable = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
const printableDetail = "The value must have at most 200 characters and no control characters.";

const formats = {
  credentialRef: {
    pattern: new RegExp(credentialReferencePattern),
    detail: "The value must be the name of a credential, with or without secret:// before it.",
  },
  purpose: { pattern: printable, detail: printableDetail },
  subject: { pattern: printable, detail: printableDetail },
} as const satisfies Record<keyof Omit<SecretRequest, "tenantId">, { pattern: RegExp; detail: string }>;

/**
 * Gives secrets to the platform's other services. Each request writes one line to the audit log, without the secret.
 */
export class SecretService {
  readonly #credentials: CredentialService;
  readonly #logger: Logger;

  constructor(credentials: CredentialService, logger: Logger) {
    this.#credentials = credentials;
    this.#logger = logger;
  }

  async resolve(request: SecretRequest, { caller, trace, signal }: Call): Promise<OpenCredential> {
    requireWellFormed(request);
    const { tenantId, credentialRef, purpose, subject } = request;
    const credential = credentialName(credentialRef);
    const facts = { tenantId, credential, purpose, subject, caller, traceId: trace.traceId };
    try {
      const openCredential = await this.#credentials.open(tenantWithId(tenantId), { trace }, credentialRef);
      signal.throwIfAborted();
      this.#logger.info({ ...facts, version: openCredential.version }, "secret resolved");
      return openCredential;
    } catch (error) {
      const code = error instanceof DomainError ? error.code : "INTERNAL";
      this.#logger.info({ ...facts, code }, "secret refused");
      throw error;
    }
  }
}

/** Throws VALIDATION_FAILED with a pointer to each member that is wrong. */
function requireWellFormed(request: SecretRequest): void {
  const errors = Object.entries(formats).flatMap(([name, { pattern, detail }]): FieldError[] => {
    const value = request[name as keyof typeof formats];
    if (pattern.test(value)) return [];
    const pointer = `/${name}`;
    return value === ""
      ? [{ pointer, code: "REQUIRED", detail: "This member is required." }]
      : [{ pointer, code: "FORMAT", detail }];
  });
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The request for a secret is not valid. The list of errors names each member that is wrong.",
      errors,
    });
}
