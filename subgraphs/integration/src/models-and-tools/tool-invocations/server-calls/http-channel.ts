import type { VendorTarget } from "../../../connections/vendor-calls/exchange/vendor-call.js";
import type { VendorCalls } from "../../../connections/vendor-calls/vendor-calls.js";
import type { OpenChannel } from "./channel.js";
import { vendorFetch } from "./vendor-fetch.js";

const endPatienceMs = 2_000;

/** Never asked: the address is the connection's. */
const placeholder = new URL("https://tool-server.invalid/");

/** Streamable HTTP through the one door for vendor calls. A stream that broke is not resumed. */
export const httpChannel =
  (calls: VendorCalls): OpenChannel =>
  async (protocol, { target, deadline, facts }) => {
    const transport = new protocol.StreamableHTTPClientTransport(placeholder, {
      fetch: vendorFetch({ calls, target, deadline, facts }),
      redirectPolicy: "follow",
      onInsufficientScope: "throw",
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1000,
        maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    return {
      transport,
      end() {
        const { sessionId, protocolVersion } = transport;
        if (sessionId !== undefined) void endSession(calls, target, sessionId, protocolVersion);
      },
    };
  };

/** Tells a server with the former revision that the session is over. */
async function endSession(
  calls: VendorCalls,
  calledServer: VendorTarget,
  sessionId: string,
  protocolVersion: string | undefined,
): Promise<void> {
  const { signal: _, ...target } = calledServer;
  const headers = {
    "mcp-session-id": sessionId,
    ...(protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion }),
  };
  const request = { purpose: "tool", method: "DELETE", path: "", headers, retry: "never" } as const;
  await calls.call(target, { ...request, timeoutMs: endPatienceMs }).catch(() => undefined);
}
