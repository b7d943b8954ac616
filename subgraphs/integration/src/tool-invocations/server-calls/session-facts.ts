import type { DomainError } from "@factory/runtime/errors/domain-error";

/** The facts that one session with a tool server has shown. */
export interface SessionFacts {
  /** The first refusal, which the client of the protocol replaces by one of its own. */
  refusal: DomainError | undefined;
  /** The status of the last answer, where it was a refusal. */
  failedStatus: number | undefined;
  receivedBytes: number;
  /** Whether the program of the server has ended, for no reason of the platform. */
  programEnded: boolean;
  /** Ends the session: a stream has ended, and the client of the protocol would wait for its answer on. */
  readonly broken: (error: unknown) => void;
}

/** All answers of one session together: lists of tools have several pages. */
export const maxSessionBytes = 4 * 1024 * 1024;
