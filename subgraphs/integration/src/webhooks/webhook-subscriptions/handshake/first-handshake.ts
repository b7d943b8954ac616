import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Sends the job that asks the receiver of a new or changed subscription. */
export interface HandshakeStarter {
  begin(transaction: Transaction, subscriptionId: string): Promise<void>;
}

/** The members of a new subscription that tell of its handshake. */
export const firstHandshake = (wanted: boolean) => {
  const since = wanted ? new Date() : null;
  return {
    handshake: wanted ? ("Pending" as const) : null,
    handshakeUrl: null,
    handshakeSince: since,
    handshakeAttempts: 0,
    handshakeNextAt: since,
    handshakeDetail: null,
    allowedPerMinute: null,
  };
};
