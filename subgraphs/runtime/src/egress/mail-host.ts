import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { callbackify } from "node:util";
import { blockedHost, type UrlPolicy } from "./blocked-url.js";
import type { ResolvedAddress } from "./host-lookup.js";

/** A mail server's address. The host is a name, or an IP address without brackets. */
export interface MailHost {
  readonly host: string;
  readonly port: number;
}

/** Mail-server ports: relay, submission over TLS, submission, and an alternative that many vendors offer. */
const mailPorts = [25, 465, 587, 2525];

/** The reason why a mail server is refused without a DNS lookup. Where HTTP ports are limited, mail ports are too. */
export function blockedMailHost({ host, port }: MailHost, policy: UrlPolicy): string | undefined {
  if (policy.allowedPorts !== undefined && !mailPorts.includes(port)) return `port ${port} is not a port of mail`;
  return blockedHost(host, policy);
}

/** Connects to an address that `resolve` allows. Rejects with the socket's error, or the signal's reason. */
export function connectToMailHost(
  { host, port }: MailHost,
  resolve: (host: string) => Promise<ResolvedAddress[]>,
  signal: AbortSignal,
): Promise<Socket> {
  // Node does not call the lookup function for an IP address, which was checked before.
  const lookup = callbackify((name: string, _options: unknown) => resolve(name)) as LookupFunction;
  const lookupOptions = isIP(host) === 0 ? { lookup, autoSelectFamily: true } : {};
  return new Promise((resolveSocket, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host, port, ...lookupOptions });
    const abort = () => socket.destroy(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    socket.once("error", reject);
    socket.once("close", () => signal.removeEventListener("abort", abort));
    socket.once("connect", () => {
      signal.removeEventListener("abort", abort);
      socket.off("error", reject);
      resolveSocket(socket);
    });
  });
}
