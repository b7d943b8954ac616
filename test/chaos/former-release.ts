import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { samplePack, writeTemplateRepository } from "@factory/platform/assembly/sample-repository";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
} from "@factory/platform/client/platform-api";
import { removeData } from "@factory/platform/client/platform-process";
import { startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { tenantScopes } from "@factory/schema/scopes";
import { root } from "../house/tracked-files.js";
import { Caller } from "./caller.js";
import type { FaultScenario, Scene } from "./fault-scenario.js";
import { aVersion, type Customer, Load, subscribe } from "./load.js";
import { buildFormerRelease, missingCommit } from "./releases/former-checkout.js";
import { judgeReleases } from "./releases/judge-releases.js";
import { RunningRelease } from "./releases/running-release.js";

const rates = { registrationsPerSecond: 8, executionsPerSecond: 1 };
const phaseMs = 6000;
/** A phase lasts until so much more work was acknowledged, however busy the machine is. */
const leastPerPhase = { registered: 20, executed: 3 };
const longestPhaseMs = 180_000;
const operator: ClientCredentials = { clientId: "chaos-operator", clientSecret: "chaos-operator-chaos-operator-chaos" };

/**
 * The former release and this one over one database: the data are migrated while the former release serves, and each is
 * started again beside the other.
 */
export const formerRelease: FaultScenario = async (scene) => {
  scene.tell("the former release is built");
  const copy = await buildFormerRelease();
  if (copy === undefined) {
    scene.tell(`SKIPPED: ${missingCommit}`);
    scene.ledger.note({ promise: `former release: skipped, since ${missingCommit}`, found: 0 });
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "factory-releases-"));
  try {
    await besideEachOther(scene, folder, copy.folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await copy.remove();
  }
};

async function besideEachOther(scene: Scene, folder: string, formerCheckout: string): Promise<void> {
  const serverFolder = join(folder, "server");
  const server = await startEmbeddedPostgres({ dataDir: serverFolder, logger: createLogger("chaos", "silent") });
  const variables = {
    DATABASE_URL: server.url,
    SECRETS_KEY: "the secrets key of both releases",
    FILES_DIR: join(folder, "files"),
    PLATFORM_CLIENT_ID: operator.clientId,
    PLATFORM_CLIENT_SECRET: operator.clientSecret,
    RATE_LIMIT_FACTOR: "1000",
    LOG_LEVEL: "error",
  };
  const releaseIn = (name: string, checkout: string) =>
    RunningRelease.choose({ checkout, dataDir: join(folder, name), variables });
  const [former, present] = await Promise.all([releaseIn("former", formerCheckout), releaseIn("present", root)]);
  try {
    const load = await replaced(scene, folder, former, present);
    await judgeReleases(server.url, load, { former, present, receiver: scene.receiver, ledger: scene.ledger });
  } finally {
    await former.remove();
    await present.remove();
    await server.stop();
    await removeData(serverFolder);
  }
}

/** Runs a rolling upgrade's phases under load. At the end only this release runs. */
async function replaced(
  { tell, receiver, size }: Scene,
  folder: string,
  former: RunningRelease,
  present: RunningRelease,
): Promise<Load> {
  const address = { PUBLIC_URL: former.url };
  await former.start(address);
  const customers = await customersOf(former, present, folder, receiver);
  const [ofFormer, ofPresent] = customers;
  if (!ofFormer || !ofPresent) throw new Error("a release has no customer");
  const load = new Load(customers);
  const phase = async (name: string, work: () => Promise<void>) => {
    tell(name);
    await work();
    const [registrationCount, executionCount] = [load.registered.length, load.executed.length];
    const deadline = Date.now() + longestPhaseMs;
    await sleep(phaseMs * size.pace);
    while (
      load.registered.length - registrationCount < leastPerPhase.registered ||
      load.executed.length - executionCount < leastPerPhase.executed
    ) {
      if (Date.now() > deadline) throw new Error(`too little work was acknowledged after: ${name}`);
      await sleep(100);
    }
  };
  former.ask(() => ofFormer.caller.token());
  load.start(rates);
  await phase("this release starts beside the former one, and migrates the data", async () => {
    await present.start(address);
    present.ask(() => ofPresent.caller.token());
  });
  for (const [name, how] of [
    ["stopped", "stop"],
    ["killed", "kill"],
  ] as const)
    for (const [who, release] of [
      ["the former release", former],
      ["this release", present],
    ] as const)
      await phase(`${who} is ${name}, and starts again`, async () => {
        await release.end(how);
        await release.start(address);
      });
  await load.stop();
  tell("the former release is stopped for good");
  await former.end();
  return load;
}

/** One customer over each release, in the same tenant. */
async function customersOf(
  former: RunningRelease,
  present: RunningRelease,
  folder: string,
  receiver: Scene["receiver"],
): Promise<Customer[]> {
  const platform = { publicUrl: former.url, internalUrl: former.internalUrl };
  const admin = await accessToken(platform, operator);
  const slug = "releases";
  const { tenantId } = await ensureTenant(platform, admin, slug, slug);
  const client = await createTenantClient(platform, admin, tenantId, { name: "chaos", scopes: tenantScopes });
  const caller = new Caller(former.url, client);
  await subscribe(caller, receiver);
  const repository = join(folder, "template.git");
  await writeTemplateRepository(samplePack, repository);
  const version = await aVersion(caller, `git+${pathToFileURL(repository).href}#main`);
  return [caller, new Caller(present.url, client)].map((of) => ({ tenantId, slug, caller: of, ...version }));
}
