import type { ClientCredentials } from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { freezeServer } from "@factory/runtime/postgres/frozen-server.fixture";
import WebSocket from "ws";
import { eventually } from "../kit/eventually.js";
import { aPerson } from "../kit/people.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { graphql, request } from "../kit/request.js";
import { aPasswordClient, postForm } from "../kit/sign-ins.js";
import { aTenant, platformToken } from "../kit/tenants.js";

let group: PlatformGroup;
let processes: readonly [PlatformProcess, PlatformProcess];
const variables = { RATE_LIMIT_FACTOR: "1" };

beforeAll(async () => {
  group = await PlatformGroup.open();
  const first = await group.start(variables);
  group.use(first);
  processes = [first, await group.start(variables)];
});

afterAll(() => group?.close());

/** A small tenant's reads in a minute. */
const limit = 300;

/** A tenant with a tenth of the usual limits, and its token. */
async function aSmallTenant(): Promise<string> {
  const tenant = await aTenant();
  const { body } = await graphql(
    `mutation ($tenantId: ID!) { setTenantLimits(tenantId: $tenantId, input: { rateLimitFactor: 0.1 }) { slug } }`,
    { token: await platformToken(), variables: { tenantId: tenant.tenantId } },
  );
  expect(body.errors).toBeUndefined();
  const token = await tenant.tokenWith();
  for (const { publicUrl: base } of processes)
    await eventually("the process knows the limit", async () => {
      const { headers } = await request("POST /ofrep/v1/evaluate/flags/none", { token, base, body: { context: {} } });
      return headers.get("ratelimit-policy")?.includes("q=1200;") ?? false;
    });
  return token;
}

/** Whether a read that needs no database was let through; the seconds to wait where it was not. */
async function admitted(base: string, token: string): Promise<true | number> {
  const { body } = await graphql("{ __typename }", { token, base });
  const [error] = body.errors ?? [];
  if (!error) return true;
  expect(error.extensions.code).toBe("RATE_LIMITED");
  return Number(error.extensions["retryAfterSeconds"]);
}

/** Waits for a share where the process has none left. */
async function admittedAtLast(base: string, token: string): Promise<void> {
  await eventually("a read is let through", async () => (await admitted(base, token)) === true);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads until the tenant's limit is reached, with the pauses that the process asks for. */
async function readAll(base: string, token: string, patience = 10): Promise<number> {
  let count = 0;
  for (let pauses = 0; pauses < patience; ) {
    const answer = await admitted(base, token);
    if (answer === true) count += 1;
    else if (answer > 1) return count;
    else {
      pauses += 1;
      await sleep(1000);
    }
  }
  return count;
}

const sum = (counts: readonly number[]) => counts.reduce((before, count) => before + count, 0);

/** Runs a measurement with new tenants until one fits into a window, and returns its result. */
async function withinOneWindow(measure: (token: string) => Promise<number>): Promise<number> {
  for (;;) {
    const token = await aSmallTenant();
    const startedAt = performance.now();
    const result = await measure(token);
    if (performance.now() - startedAt < 45_000) return result;
  }
}

describe("a tenant that calls two processes", () => {
  it("gets its whole limit in one process, and then almost nothing in the other", async () => {
    const [firstProcess, other] = processes;
    const total = await withinOneWindow(async (token) => {
      const first = await readAll(firstProcess.publicUrl, token);
      expect(first).toBeGreaterThanOrEqual(limit * 0.85);
      return first + (await readAll(other.publicUrl, token));
    });
    expect(total).toBeLessThanOrEqual(limit * 1.1);
  });

  it("keeps its last shares while the database is frozen", async () => {
    const total = await withinOneWindow(async (token) => {
      const before = await Promise.all(
        processes.map(async ({ publicUrl }) => {
          for (let count = 0; count < 20; count += 1) await admittedAtLast(publicUrl, token);
          return 20;
        }),
      );
      const thaw = freezeServer(group.database.pid);
      try {
        const frozen = await Promise.all(processes.map(({ publicUrl }) => readAll(publicUrl, token, 3)));
        expect(sum(frozen)).toBeGreaterThan(0);
        return sum([...before, ...frozen]);
      } finally {
        thaw();
      }
    });
    expect(total).toBeLessThanOrEqual(limit * 1.1);
  });
});

describe("a person whose password is guessed in two processes", () => {
  it("is safe after ten guesses, also at the same time", async () => {
    const tenant = await aTenant();
    const client: ClientCredentials = await aPasswordClient(tenant.tenantId);
    const { email: username, password } = await aPerson(tenant);
    const guess = (base: string, text: string) =>
      postForm("/connect/token", client, { grant_type: "password", username, password: text }, base);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, place) => guess(processes[place % 2 === 0 ? 0 : 1].publicUrl, `wrong ${place}`)),
    );
    let wrong = answers.filter(({ status }) => status === 400).length;
    expect(wrong).toBeLessThanOrEqual(10);
    for (let place = 0; place < 24; place += 1) {
      const { status } = await guess(processes[place % 2 === 0 ? 0 : 1].publicUrl, `more ${place}`);
      if (status === 400) wrong += 1;
    }
    expect(wrong).toBe(10);
    for (const { publicUrl } of processes) expect((await guess(publicUrl, password)).status).toBe(429);
  });
});

/** Opens a websocket. Resolves to the reason why it was closed, or to the socket when it is acknowledged. */
function aSocket(base: string, token: string): Promise<WebSocket | string> {
  const socket = new WebSocket(`${base.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("open", () =>
      socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } })),
    );
    socket.once("message", () => resolve(socket));
    socket.once("close", (code, reason) => resolve(`${code} ${reason.toString()}`));
  });
}

describe("the sockets of a principal in two processes", () => {
  it("are 20, and the others close with a code of their own, until one is closed", async () => {
    const token = await (await aTenant()).tokenWith();
    const [firstProcess, other] = processes;
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, place) => aSocket((place % 2 === 0 ? firstProcess : other).publicUrl, token)),
    );
    const open = outcomes.filter((outcome) => typeof outcome !== "string");
    expect(open.length).toBeGreaterThanOrEqual(20);
    expect(open.length).toBeLessThanOrEqual(22);
    expect(new Set(outcomes.filter((outcome) => typeof outcome === "string"))).toEqual(
      new Set(["4420 Too many sockets"]),
    );
    for (const { publicUrl } of processes) expect(await aSocket(publicUrl, token)).toBe("4420 Too many sockets");
    for (const socket of open) socket.close();
    for (const { publicUrl } of processes)
      await eventually("a socket opens again", async () => {
        const outcome = await aSocket(publicUrl, token);
        if (typeof outcome !== "string") outcome.close();
        return typeof outcome !== "string";
      });
  });
});

describe("a process that is killed", () => {
  it("leaves its share and its sockets to the other one", async () => {
    const [firstProcess, other] = processes;
    const principal = await (await aTenant()).tokenWith();
    const sockets = await Promise.all(Array.from({ length: 20 }, () => aSocket(other.publicUrl, principal)));
    expect(sockets.every((socket) => typeof socket !== "string")).toBe(true);
    await eventually("the other process is full too", async () => {
      const outcome = await aSocket(firstProcess.publicUrl, principal);
      if (typeof outcome === "string") return true;
      outcome.close();
      return false;
    });
    const token = await aSmallTenant();
    for (let count = 0; count < 100; count += 1) await admittedAtLast(other.publicUrl, token);
    for (const socket of sockets) if (typeof socket !== "string") socket.on("error", () => undefined);
    await other.kill();
    const remainingReads = await readAll(firstProcess.publicUrl, token, 40);
    expect(remainingReads).toBeGreaterThanOrEqual(limit * 0.85 - 100);
    await eventually("the sockets of the killed process do not count", async () => {
      const outcome = await aSocket(firstProcess.publicUrl, principal);
      if (typeof outcome !== "string") outcome.close();
      return typeof outcome !== "string";
    });
  });
});
