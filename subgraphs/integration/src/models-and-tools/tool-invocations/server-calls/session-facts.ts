import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Members } from "./json-members.js";
import type { LeftOutTool } from "./left-out-tool.js";

/** The facts that one session with a tool server has shown. */
export interface SessionFacts {
  /** The first refusal, which the protocol's client replaces by its own. */
  refusal: DomainError | undefined;
  /** The last answer's status, where it was a refusal. */
  failedStatus: number | undefined;
  receivedBytes: number;
  /** Whether the server has been asked to run a tool, so that an error may come after the effect. */
  called: boolean;
  /** The tools in the lists so far that the platform does not offer. */
  readonly leftOut: LeftOutTool[];
  /** The others, with their numbers as the server has sent them. */
  readonly offered: Members[];
  /** A tool's result as it came, whatever it is. Undefined until a tool has answered. */
  result: { readonly value: unknown } | undefined;
  /** Whether the server's program has ended for a reason outside the platform. */
  programEnded: boolean;
  /** Ends the session: a stream has ended, and the protocol's client would wait for its answer on. */
  readonly broken: (error: unknown) => void;
}

/** All answers in one session together: tool lists have several pages. */
export const maxSessionBytes = 4 * 1024 * 1024;

/** The refusal for an answer above this limit, which the platform sets. */
export const answerTooLong = ({ called }: Pick<SessionFacts, "called">) =>
  called
    ? new DomainError("PAYLOAD_TOO_LARGE", {
        detail: "The answer of the tool is longer than the platform accepts. The tool may have run.",
      })
    : new DomainError("UPSTREAM_FAILED", {
        detail: "The answer of the tool server is longer than the platform accepts.",
      });
