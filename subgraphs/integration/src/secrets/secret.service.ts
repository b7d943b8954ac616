import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import type { CredentialService, OpenCredential } from "../credentials/credential.service.js";
import { credentialName } from "../credentials/credential-name.js";

export interface SecretRequest {
  readonly tenantId: string;
  readonly credentialRef: string;
  readonly purpose: string;
  readonly subject: string;
}

type Call = Pick<ServiceCallContext, "caller" | "trace" | "signal">;

/** What makes one line of the audit log; control characters would forge another. */
const printable = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
const bounds: Readonly<Record<keyof Omit<SecretRequest, "tenantId">, RegExp>> = {
  credentialRef: new RegExp(credentialReferencePattern),
  purpose: printable,
  subject: printable,
};

/** Hands material to a platform service. Each request is one line of the audit log: what was asked for, never what it is. */
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
      const opened = await this.#credentials.open(tenantWithId(tenantId), { trace }, credentialRef);
      signal.throwIfAborted();
      this.#logger.info({ ...facts, version: opened.version }, "secret resolved");
      return opened;
    } catch (error) {
      const code = error instanceof DomainError ? error.code : "INTERNAL";
      this.#logger.info({ ...facts, code }, "secret refused");
      throw error;
    }
  }
}

function requireWellFormed(request: SecretRequest): void {
  const errors = Object.entries(bounds).flatMap(([name, form]): FieldError[] => {
    const value = request[name as keyof typeof bounds];
    if (form.test(value)) return [];
    const pointer = `/${name}`;
    return value === ""
      ? [{ pointer, code: "REQUIRED", detail: "Must be given." }]
      : [{ pointer, code: "FORMAT", detail: "Must be well formed." }];
  });
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", { detail: "The request for a secret is malformed.", errors });
}
