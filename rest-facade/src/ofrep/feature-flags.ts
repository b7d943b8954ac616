import type { Principal } from "@factory/runtime/auth/principal";

/** An OFREP answer: a status and JSON text. */
export interface OfrepAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answer for all of a tenant's flags. The text is made only where the caller does not have it yet. */
interface OfrepBulkAnswer {
  readonly tag: string;
  body(): string | Promise<string>;
}

/** A change to a tenant's flags: the version for all its flags rises. */
export interface FlagChange {
  readonly tenantId: string;
  readonly version: number;
}

/** The request members that an evaluation of all flags needs. */
interface BulkRequest {
  /** The path to the event stream that tells the caller of changes. */
  readonly stream: string;
  /** Counts rate limit points beside the one that every request costs. */
  charge(points: number): Promise<void>;
}

/** Evaluates feature flags from memory. */
export interface FeatureFlags {
  /** `request` is the parsed body. */
  evaluate(caller: Principal, key: string, request: unknown): OfrepAnswer | Promise<OfrepAnswer>;
  /** `body` is the parsed body. */
  evaluateAll(caller: Principal, body: unknown, request: BulkRequest): Promise<OfrepAnswer | OfrepBulkAnswer>;
  versionOf(tenantId: string): Promise<number>;
  /** Calls `tell` after each change to any tenant's flags, until the returned function is called. */
  watch(tell: (change: FlagChange) => void): () => void;
  /** Tickets stand for an access token in an event stream's URL, where a browser can send no header. */
  readonly tickets: {
    seal(token: string): string;
    /** Undefined for a ticket that this platform did not seal. */
    open(ticket: string): string | undefined;
  };
}
