import { DomainError } from "@factory/runtime/errors/domain-error";

/** A tool server that the operator runs as a program. */
export interface LocalServer {
  /** The path of the program and its fixed arguments. */
  readonly program: readonly string[];
  /** The ids of the tenants that may use it. */
  readonly tenants: "all" | readonly string[];
  /** The variable of its environment that gets the token of the connection's credential; absent: it gets none. */
  readonly credentialVariable?: string | undefined;
}

/** The tool servers of the operator by their names. */
export type LocalServers = ReadonlyMap<string, LocalServer>;

/** The setting of a connection that names a tool server of the operator. */
const setting = "toolServer";

/** The name of the operator's tool server that a connection uses; undefined for a connection to a URL. */
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
