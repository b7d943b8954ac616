import type * as Protocol from "@modelcontextprotocol/client";
import type { VendorTarget } from "../../../connections/vendor-calls/exchange/vendor-call.js";
import type { SessionFacts } from "./session-facts.js";

/** The package of the protocol, which is loaded at the first use: most processes never speak the protocol. */
export type ProtocolPackage = typeof Protocol;

/** A way to one tool server, for one session. */
export interface Channel {
  readonly transport: Protocol.Transport;
  /** Resolves when the program of the server has ended; undefined for a server behind a URL. */
  readonly ended?: Promise<unknown>;
  /** Ends the rest of the session after the transport was closed, without a wait. */
  end(): void;
}

/** A session to be opened. */
export interface WantedChannel {
  /** Its signal is aborted at the end of the session. */
  readonly target: VendorTarget & { readonly signal: AbortSignal };
  /** Milliseconds of the monotonic clock. */
  readonly deadline: number;
  readonly facts: SessionFacts;
}

export type OpenChannel = (protocol: ProtocolPackage, wanted: WantedChannel) => Promise<Channel>;
