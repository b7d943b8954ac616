import type { Principal } from "@factory/runtime/auth/principal";

/** An answer of OFREP: a status and JSON text. */
export interface OfrepAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answer for all flags of a tenant. The text is made only where the caller does not have it yet. */
interface OfrepBulkAnswer {
  readonly tag: string;
  body(): string | Promise<string>;
}

/** A change of the flags of a tenant: the version of all its flags rises. */
export interface FlagChange {
  readonly tenantId: string;
  readonly version: number;
}

/** The parts of its request that an evaluation of all flags needs. */
interface BulkRequest {
  /** The path of the event stream that tells the caller of changes. */
  readonly stream: string;
  /** Counts points of the rate limit beside the one that every request costs. */
  charge(points: number): Promise<void>;
}

/** Evaluates feature flags from memory. */
export interface FeatureFlags {
  /** `request` is the parsed body. */
  evaluate(caller: Principal, key: string, request: unknown): OfrepAnswer | Promise<OfrepAnswer>;
  /** `body` is the parsed body. */
  evaluateAll(caller: Principal, body: unknown, request: BulkRequest): Promise<OfrepAnswer | OfrepBulkAnswer>;
  versionOf(tenantId: string): Promise<number>;
  /** Calls `tell` after each change of the flags of any tenant, until the returned function is called. */
  watch(tell: (change: FlagChange) => void): () => void;
  /** Tickets stand for an access token in the URL of an event stream, where a browser can send no header. */
  readonly tickets: {
    seal(token: string): string;
    /** Undefined for a ticket that this platform did not seal. */
    open(ticket: string): string | undefined;
  };
}
