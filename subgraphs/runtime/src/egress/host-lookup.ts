import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { SystemTurns } from "./system-turns.js";

export interface ResolvedAddress {
  address: string;
  family: number;
}

type SystemLookup = (host: string) => Promise<ResolvedAddress[]>;

/** Two attempts of 2 s and 4 s, within the connect time-out of most callers. */
const resolverOptions = { timeout: 2000, tries: 2 };
const hostsFile = "/etc/hosts";
const hostsRememberedMs = 60_000;

/** Codes for a name that DNS does not know, a name without an address, and a missing name server. */
const unknownToDns = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"]);

/**
 * Resolves host names that callers choose. It uses c-ares (`dns.Resolver`) instead of `dns.lookup`, because a hostile
 * name server could hold all four threads in the thread pool, which files and compression need too. Names that only the
 * system knows (hosts file, search domains) are looked up with `dns.lookup`, one at a time. A hostile name server can
 * hold such a lookup for its own name, so names that DNS does not know wait apart from this machine's names.
 */
export class HostLookup {
  readonly #resolver: Resolver;
  #ofThisMachine: { names: Promise<ReadonlySet<string>>; until: number } | undefined;
  readonly #turnsOfThisMachine = new SystemTurns();
  readonly #turnsOfUnknown = new SystemTurns();
  readonly #askSystem: SystemLookup;

  /**
   * `servers`: name-server addresses, with a port where it is not 53. Default: the system's name servers. `askSystem`:
   * looks a name up as `getaddrinfo` does. `patience`: the attempts for each question to a name server.
   */
  constructor(
    servers?: readonly string[],
    askSystem: SystemLookup = (host) => lookup(host, { all: true }),
    patience = resolverOptions,
  ) {
    this.#resolver = new Resolver(patience);
    if (servers) this.#resolver.setServers(servers);
    this.#askSystem = askSystem;
  }

  /**
   * Throws a system error from `getaddrinfo` or c-ares with its code. After `signal` the system is not asked any more.
   */
  async addressesOf(host: string, signal?: AbortSignal): Promise<ResolvedAddress[]> {
    if (!host.includes(".") || (await this.#hostsNames()).has(host.toLowerCase()))
      return this.#turnsOfThisMachine.take(() => this.#askSystem(host), signal);
    const answers = await Promise.allSettled([
      this.#resolver.resolve4(host).then((ipv4) => ipv4.map((address) => ({ address, family: 4 }))),
      this.#resolver.resolve6(host).then((ipv6) => ipv6.map((address) => ({ address, family: 6 }))),
    ]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length > 0) return addresses;
    for (const answer of answers)
      if (answer.status === "rejected" && !unknownToDns.has(String(answer.reason.code))) throw answer.reason;
    return this.#turnsOfUnknown.take(() => this.#askSystem(host), signal);
  }

  #hostsNames(): Promise<ReadonlySet<string>> {
    if (!this.#ofThisMachine || this.#ofThisMachine.until < Date.now())
      this.#ofThisMachine = { names: readHostsNames(), until: Date.now() + hostsRememberedMs };
    return this.#ofThisMachine.names;
  }
}

/** Parses hosts(5): each line has an address and its names; `#` begins a comment. */
async function readHostsNames(): Promise<ReadonlySet<string>> {
  const text = await readFile(hostsFile, "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim().toLowerCase());
  return new Set(lines.flatMap((line) => line.split(/\s+/).slice(1)));
}
