import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type PlatformProcess, removeData, startPlatformProcess } from "@factory/platform/client/platform-process";
import { choosePort } from "@factory/platform/settings/free-port";
import { SmallDisk } from "@factory/runtime/files/small-disk.fixture";
import type { PostgresServer } from "@factory/runtime/postgres/embedded-postgres";
import { suiteVariables } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import pg from "pg";
import { aForgetfulProxy, type ForgetfulProxy } from "../../kit/forgetful-proxy.js";
import { platformVariable } from "../../kit/platform.js";
import { PlatformGroup } from "../../kit/platform-group.js";
import type { Stage } from "../stage.js";
import { Balancer } from "./balancer.js";

/** Enough for certificates, the repository cache and a few sources. */
const diskMebibytes = 128;

interface Member {
  readonly port: number;
  readonly dataDir: string;
  /** The disk that contains DATA_DIR. */
  readonly disk: SmallDisk;
  process: PlatformProcess | undefined;
}

/** Two processes of one platform over one database, behind a TCP balancer. A proxy stands before the database. */
export class Fleet implements Stage {
  readonly server: PostgresServer;
  readonly proxy: ForgetfulProxy;
  readonly startsMs: number[] = [];
  readonly #group: PlatformGroup;
  readonly #balancer: Balancer;
  readonly #members: readonly Member[];
  readonly #variables: Record<string, string>;
  readonly #repairs: (() => void)[] = [];
  readonly #shared = process.env[platformVariable];

  private constructor(group: PlatformGroup, proxy: ForgetfulProxy, balancer: Balancer, members: readonly Member[]) {
    this.server = group.database;
    this.proxy = proxy;
    this.#group = group;
    this.#balancer = balancer;
    this.#members = members;
    this.#variables = {
      DATABASE_URL: Object.assign(new URL(group.databaseUrl), { host: `127.0.0.1:${proxy.port}` }).href,
      PUBLIC_URL: balancer.url,
      FILES_DIR: join(group.databaseFolder, "files"),
      ...suiteVariables,
      RATE_LIMIT_FACTOR: "1000",
      LOG_LEVEL: "warn",
    };
  }

  static async open(size = 2): Promise<Fleet> {
    const group = await PlatformGroup.open();
    const { hostname, port } = new URL(group.databaseUrl);
    const proxy = await aForgetfulProxy(hostname, Number(port));
    const members: Member[] = [];
    for (let member = 0; member < size; member += 1) {
      const disk = await SmallDisk.open(diskMebibytes);
      const dataDir = join(disk.path, "data");
      await mkdir(dataDir, { mode: 0o700 });
      members.push({ port: await choosePort(0, "127.0.0.1"), dataDir, disk, process: undefined });
    }
    const balancer = await Balancer.open(members.map((member) => member.port));
    return new Fleet(group, proxy, balancer, members);
  }

  get size(): number {
    return this.#members.length;
  }

  get dataDir(): string {
    return this.member(0).dataDir;
  }

  /** The public address is the balancer's; the internal one belongs to a process that runs. */
  get platform(): PlatformProcess {
    const running = this.#members.find((member) => member.process)?.process;
    if (!running) throw new Error("No process of the platform runs");
    return { ...running, publicUrl: this.#balancer.url };
  }

  member(place: number): Member {
    const member = this.#members[place];
    if (!member) throw new Error(`The fleet has no process ${place}`);
    return member;
  }

  /** Starts a process. The test kit talks to the whole platform from then on. */
  async start(place: number): Promise<void> {
    const member = this.member(place);
    const startedAt = performance.now();
    member.process = await startPlatformProcess(member.dataDir, { ...this.#variables, PORT: `${member.port}` });
    this.startsMs.push(performance.now() - startedAt);
    const runningPlatform = { ...this.platform, dataDir: this.dataDir, databaseUrl: this.#group.databaseUrl };
    process.env[platformVariable] = JSON.stringify(runningPlatform);
  }

  /** Sends SIGTERM and waits for the end. */
  async stop(place: number): Promise<number | null> {
    const member = this.member(place);
    const running = member.process;
    member.process = undefined;
    return running ? running.stop() : null;
  }

  async kill(place: number): Promise<void> {
    const member = this.member(place);
    const running = member.process;
    member.process = undefined;
    await running?.kill();
  }

  async rows<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.#group.databaseUrl });
    await client.connect();
    try {
      return (await client.query<R>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Registers what must be repaired before the server stops. */
  whenClosed(repair: () => void): void {
    this.#repairs.push(repair);
  }

  async close(): Promise<void> {
    for (const repair of this.#repairs) repair();
    process.env[platformVariable] = this.#shared;
    for (let place = 0; place < this.size; place += 1) await this.stop(place);
    await this.#balancer.close();
    await this.proxy.close();
    for (const { dataDir, disk } of this.#members) {
      await removeData(dataDir);
      await disk.close();
    }
    await this.#group.close();
  }
}
