import type { TakeBody } from "@factory/runtime/egress/response-body";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { OpenCredential } from "../../../credentials/credentials/credential.service.js";
import type { ProviderRecord } from "../../../providers/providers/provider-record.js";

/** The connection's members that a vendor call needs. */
export interface VendorConnection {
  readonly connectionId: string;
  readonly providerId: string;
  /** The connection's project, which its events name. */
  readonly projectId: string | null;
  readonly authMode: string;
  readonly status: string;
  /** Null when the reference names no credential on this platform. */
  readonly credentialId: string | null;
  /** The reference; absent where the caller has not read it. */
  readonly credentialRef?: string | null;
  /** Values for the placeholders `{name}` in the base URL and in paths. */
  readonly configuration: Readonly<Record<string, string>>;
}

/** Reads that were begun before the call that needs them. Its first attempt uses them instead of its own. */
export interface PreparedReads {
  readonly provider: Promise<ProviderRecord | undefined>;
  /** The milliseconds for which the vendor has asked to pause. */
  readonly pauseMs: Promise<number>;
  /** Absent for a connection without a credential. */
  readonly credential: Promise<Pick<OpenCredential, "version" | "material">> | undefined;
}

/** The connection that is called, and why. */
export interface VendorTarget {
  readonly tenant: Tenant;
  readonly cause: Cause;
  readonly connection: VendorConnection;
  /** A credential's version that is not Current, for example the Pending version that a rotation verifies. */
  readonly credentialVersion?: number;
  /** The run whose work the call is. */
  readonly runId?: string;
  readonly signal?: AbortSignal;
  readonly prepared?: PreparedReads | undefined;
}

/** The reason for a call. It labels the metrics, so the set is closed. */
export type CallPurpose = "probe" | "command" | "model" | "tool";

/** Whether a caller waits minutes for such calls' answers, so that they need more room and more time. */
export const isLongPurpose = (purpose: CallPurpose): boolean => purpose === "model" || purpose === "tool";

export interface VendorRequest {
  readonly purpose: CallPurpose;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the provider's base URL. `{name}` is a value from the connection's configuration. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Sent in the driver's idempotency header. With both, a method that is not safe is tried again too. */
  readonly idempotencyKey?: string;
  /** The time limit for all attempts together. Default 15 s, at most 60 s; for models and tools at most 5 minutes. */
  readonly timeoutMs?: number;
  /**
   * Takes a success's body piece by piece instead of the answer, whose body is then empty. Such a request is not tried
   * again.
   */
  readonly onBody?: TakeBody;
  /** `always`: the same request twice has the effect of one. `never`: the caller tries again itself. */
  readonly retry?: "safe" | "always" | "never";
}

/** The vendor's answer, with any status. */
export interface VendorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** True when the body was longer than 4 MiB, 2 MiB for models and tools, or 64 KiB for a probe, and was cut off. */
  readonly truncated: boolean;
  /** The vendor answered 401 or 403, also to a new token and to the credential's former version. */
  readonly credentialRejected: boolean;
  readonly attempts: number;
}
