import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Members } from "./json-members.js";
import type { LeftOutTool } from "./left-out-tool.js";

/** The facts that one session with a tool server has shown. */
export interface SessionFacts {
  /** The first refusal, which the client of the protocol replaces by one of its own. */
  refusal: DomainError | undefined;
  /** The status of the last answer, where it was a refusal. */
  failedStatus: number | undefined;
  receivedBytes: number;
  /** Whether the server has been asked to run a tool, so that an error may come after the effect. */
  called: boolean;
  /** The tools of the lists so far that the platform does not offer. */
  readonly leftOut: LeftOutTool[];
  /** The others, with their numbers as the server has sent them. */
  readonly offered: Members[];
  /** The result of a tool as it came, whatever it is. Undefined until a tool has answered. */
  result: { readonly value: unknown } | undefined;
  /** Whether the program of the server has ended, for no reason of the platform. */
  programEnded: boolean;
  /** Ends the session: a stream has ended, and the client of the protocol would wait for its answer on. */
  readonly broken: (error: unknown) => void;
}

/** All answers of one session together: lists of tools have several pages. */
export const maxSessionBytes = 4 * 1024 * 1024;

/** The refusal for an answer above this limit, which is one of the platform. */
export const answerTooLong = ({ called }: Pick<SessionFacts, "called">) =>
  called
    ? new DomainError("PAYLOAD_TOO_LARGE", {
        detail: "The answer of the tool is longer than the platform accepts. The tool may have run.",
      })
    : new DomainError("UPSTREAM_FAILED", {
        detail: "The answer of the tool server is longer than the platform accepts.",
      });
