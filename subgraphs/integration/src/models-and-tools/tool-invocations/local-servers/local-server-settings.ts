import { DomainError } from "@factory/runtime/errors/domain-error";

/** A tool server that the operator runs as a program. */
export interface LocalServer {
  /** The program's path and its fixed arguments. */
  readonly program: readonly string[];
  /** The ids of the tenants that may use it. */
  readonly tenants: "all" | readonly string[];
  /** The variable in its environment that gets the token from the connection's credential; absent: it gets none. */
  readonly credentialVariable?: string | undefined;
}

/** The operator's tool servers by their names. */
export type LocalServers = ReadonlyMap<string, LocalServer>;

/** The connection's setting that names one of the operator's tool servers. */
const setting = "toolServer";

/** The operator's tool server that a connection uses, by name; undefined for a connection to a URL. */
export const localServerOf = (configuration: Readonly<Record<string, string>>): string | undefined =>
  Object.hasOwn(configuration, setting) ? configuration[setting] : undefined;

/** The server that the operator offers this tenant under the name. Throws VALIDATION_FAILED. */
export function offeredServer(servers: LocalServers, name: string | undefined, tenantId: string): LocalServer {
  const server = name === undefined ? undefined : servers.get(name);
  if (server && (server.tenants === "all" || server.tenants.includes(tenantId))) return server;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The operator of the platform offers this tenant no tool server with the name in the setting toolServer.",
  });
}
