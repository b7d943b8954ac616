import type * as Protocol from "@modelcontextprotocol/client";
import type { VendorTarget } from "../../../connections/vendor-calls/exchange/vendor-call.js";
import type { SessionFacts } from "./session-facts.js";

/** The protocol's package, which is loaded at the first use: most processes never speak the protocol. */
export type ProtocolPackage = typeof Protocol;

/** A way to one tool server, for one session. */
export interface Channel {
  readonly transport: Protocol.Transport;
  /** Resolves when the server's program has ended; undefined for a server behind a URL. */
  readonly ended?: Promise<unknown>;
  /** Ends what is left in the session after the transport was closed, without a wait. */
  end(): void;
}

/** A session to be opened. */
export interface WantedChannel {
  /** Its signal is aborted when the session ends. */
  readonly target: VendorTarget & { readonly signal: AbortSignal };
  /** Milliseconds on the monotonic clock. */
  readonly deadline: number;
  readonly facts: SessionFacts;
}

export type OpenChannel = (protocol: ProtocolPackage, wanted: WantedChannel) => Promise<Channel>;
