/** Tool servers that the operator runs as programs: the fixed argv of each, by its name. */
export type LocalServers = ReadonlyMap<string, readonly string[]>;

/** The setting of a connection that names a tool server of the operator. */
const setting = "toolServer";

/** The name of the operator's tool server that a connection uses; undefined for a connection to a URL. */
export const localServerOf = (configuration: Readonly<Record<string, string>>): string | undefined =>
  Object.hasOwn(configuration, setting) ? configuration[setting] : undefined;
