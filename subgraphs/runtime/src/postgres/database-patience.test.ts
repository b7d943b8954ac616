import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../faults/eventually.fixture.js";
import { keepingLogger } from "../telemetry/logged-lines.fixture.js";
import { aDatabase, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { freePort } from "./cluster.js";
import { awaitServer, DatabaseGivenUp } from "./database-patience.js";

describe("a server that does not answer yet", () => {
  let test: TestDatabase;
  let lines: string[];

  beforeAll(async () => {
    test = await aDatabase();
  });
  beforeEach(() => {
    lines = [];
  });
  afterAll(() => test.close());

  it("is waited for, and the wait is logged once", async () => {
    const url = new URL(test.url);
    const target = Number(url.port);
    url.port = String(await freePort());
    const waiting = awaitServer(url.href, { logger: keepingLogger(lines) });
    await eventually("it waits", () => lines.length > 0);
    await pause(500);
    const way = createServer((client) => {
      const server = connect(target, "127.0.0.1");
      client.pipe(server).pipe(client);
    }).listen(Number(url.port), "127.0.0.1");
    await waiting;
    way.close();
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toEqual(["the platform waits", "a wait of the platform ended"]);
    expect(lines[0]).toContain(`the database at 127.0.0.1:${url.port}`);
  });

  it("is waited for while it is read-only", async () => {
    const url = new URL(test.url);
    url.searchParams.set("options", "-c default_transaction_read_only=on");
    const attempt = awaitServer(url.href, { logger: keepingLogger(lines), giveUpAfterMs: 300 });
    await expect(attempt).rejects.toThrow("the server is read-only");
  });

  it("is given up only when the operator says so", async () => {
    const url = `postgres://a:b@127.0.0.1:${await freePort()}/none`;
    const attempt = awaitServer(url, { logger: keepingLogger(lines), giveUpAfterMs: 300 });
    await expect(attempt).rejects.toThrow(DatabaseGivenUp);
  });

  it("a wrong password is told at once", async () => {
    const url = new URL(test.url);
    url.password = "wrong";
    await expect(awaitServer(url.href, { logger: keepingLogger(lines) })).rejects.toMatchObject({ code: "28P01" });
    expect(lines).toEqual([]);
  });
});
