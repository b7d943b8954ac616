import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Sends the job that asks a new or changed subscription's receiver. */
export interface HandshakeStarter {
  begin(transaction: Transaction, subscriptionId: string): Promise<void>;
}

/** The members of a new subscription that tell about its handshake. */
export const firstHandshake = (isWanted: boolean) => {
  const since = isWanted ? new Date() : null;
  return {
    handshake: isWanted ? ("Pending" as const) : null,
    handshakeUrl: null,
    handshakeSince: since,
    handshakeAttempts: 0,
    handshakeNextAt: since,
    handshakeDetail: null,
    allowedPerMinute: null,
  };
};
