import type { Bus, BusSessions } from "../bus/bus.js";
import { Listener, type Notifications, type Wake } from "../connections/listener.js";
import { Turns } from "../db/leader-election.js";
import type { Logger } from "../telemetry/logger.js";

/** A subgraph's long-lived sessions. */
export interface SubgraphSessions {
  readonly listener: Notifications;
  readonly turns: Turns;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** A subgraph in the bus database uses the bus's sessions, and another one has its own sessions. */
export function subgraphSessions(bus: Bus, workerUrl: string, logger: Logger): SubgraphSessions {
  const sessions = bus.sessions?.(workerUrl);
  return sessions ? lent(sessions) : own(workerUrl, logger);
}

function own(workerUrl: string, logger: Logger): SubgraphSessions {
  const [listener, turns] = [new Listener(workerUrl, logger), new Turns(workerUrl, logger)];
  return {
    ...{ listener, turns },
    start: () => listener.start(),
    async close() {
      await turns.close();
      await listener.close();
    },
  };
}

/** The bus closes its sessions. A closed subgraph is not woken any more. */
function lent({ listener, turns }: BusSessions): SubgraphSessions {
  const wakes: [channel: string, wake: Wake][] = [];
  return {
    turns,
    listener: {
      on(channel, wake) {
        wakes.push([channel, wake]);
        return listener.on(channel, wake);
      },
    },
    start: async () => undefined,
    async close() {
      for (const [channel, wake] of wakes) listener.off(channel, wake);
    },
  };
}
