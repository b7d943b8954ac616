import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Two tries of 2 s, then 4 s: within the connect time-out of most callers. */
const resolverOptions = { timeout: 2000, tries: 2 };
const hostsFile = "/etc/hosts";
const hostsRememberedMs = 60_000;

/** The name server says that there is no such name, or none with an address; or there is no name server. */
const unknownToDns = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"]);

/**
 * Finds the addresses of hosts that callers name. It asks the name servers over sockets of its own: `dns.lookup` holds one
 * of the four threads of the process that files and compression need too, for as long as a hostile name server likes. What
 * only the system knows (its hosts file, its search domains) is asked for there, one name at a time.
 */
export class HostLookup {
  readonly #resolver = new Resolver(resolverOptions);
  #ofThisMachine: { names: Promise<ReadonlySet<string>>; until: number } | undefined;
  #systemTurn: Promise<unknown> = Promise.resolve();

  /** `servers`: addresses of name servers, with ports where they are unusual; the system's unless given. */
  constructor(servers?: readonly string[]) {
    if (servers) this.#resolver.setServers(servers);
  }

  /** Throws a system error of `getaddrinfo` or c-ares, with its code. */
  async addressesOf(host: string): Promise<ResolvedAddress[]> {
    if (!host.includes(".") || (await this.#hostsNames()).has(host.toLowerCase())) return this.#askSystem(host);
    const answers = await Promise.allSettled([
      this.#resolver.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 }))),
      this.#resolver.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 }))),
    ]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length > 0) return found;
    for (const answer of answers)
      if (answer.status === "rejected" && !unknownToDns.has(String(answer.reason.code))) throw answer.reason;
    return this.#askSystem(host);
  }

  #askSystem(host: string): Promise<ResolvedAddress[]> {
    const turn = this.#systemTurn.then(() => lookup(host, { all: true }));
    this.#systemTurn = turn.catch(() => undefined);
    return turn;
  }

  #hostsNames(): Promise<ReadonlySet<string>> {
    if (!this.#ofThisMachine || this.#ofThisMachine.until < Date.now())
      this.#ofThisMachine = { names: readHostsNames(), until: Date.now() + hostsRememberedMs };
    return this.#ofThisMachine.names;
  }
}

/** hosts(5): an address and its names on each line; `#` begins a comment. */
async function readHostsNames(): Promise<ReadonlySet<string>> {
  const text = await readFile(hostsFile, "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim().toLowerCase());
  return new Set(lines.flatMap((line) => line.split(/\s+/).slice(1)));
}
