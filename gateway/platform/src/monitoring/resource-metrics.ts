import type { GraphqlSockets } from "@factory/gateway/websocket/graphql-sockets";
import { WatchedPool } from "@factory/runtime/connections/watched-pool";
import { Gauge, type Registry } from "prom-client";

/** The websockets and event streams of this process. */
export type OpenSockets = GraphqlSockets["open"] & {
  readonly eventStreams: number;
};

/** Registers gauges for resources that a process can use up: connections to the database, and sockets. */
export function resourceMetrics(registry: Registry, sockets: () => OpenSockets): void {
  databaseConnections(registry);
  openSockets(registry, sockets);
}

const states = ["limit", "open", "inUse", "waiting"] as const;

function databaseConnections(registry: Registry): void {
  const gauge = new Gauge({
    name: "database_connections",
    help: "Connections of the pools of this process by role. limit: the most they open. waiting: requests for one.",
    labelNames: ["role", "state"],
    registers: [registry],
    collect() {
      gauge.reset();
      for (const pool of WatchedPool.usage())
        for (const state of states) gauge.inc({ role: pool.role, state: labels[state] }, pool[state]);
    },
  });
}

const labels = { limit: "limit", open: "open", inUse: "in_use", waiting: "waiting" } as const;

function openSockets(registry: Registry, sockets: () => OpenSockets): void {
  const gauge = new Gauge({
    name: "websocket_open",
    help: "Open websockets of this process, and the GraphQL subscriptions on them.",
    labelNames: ["what"],
    registers: [registry],
    collect() {
      const open = sockets();
      gauge.set({ what: "sockets" }, open.sockets);
      gauge.set({ what: "subscriptions" }, open.subscriptions);
    },
  });
  const streams: Gauge = new Gauge({
    name: "graphql_event_streams_open",
    help: "Open event streams (graphql-sse) of this process, each with one GraphQL subscription.",
    registers: [registry],
    collect: () => streams.set(sockets().eventStreams),
  });
}
