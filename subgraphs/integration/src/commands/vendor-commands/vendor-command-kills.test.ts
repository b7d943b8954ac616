import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { aMailServer, type MailServerFixture } from "../../connections/vendor-calls/smtp/mail-server.fixture.js";
import { aPrincipal } from "../../integration.fixture.js";
import { IntegrationProcesses } from "../../integration-processes.fixture.js";
import { aCommandConnection } from "./vendor-commands.fixture.js";

/** Where the process is killed: before the vendor is asked, and between its answer and the record. */
const phases = ["vendorCommand.calling", "vendorCommand.called"];
const kills = killsAt(phases.length);
const takeoverMs = 360_000;

describe("kill -9 in commands to vendors", () => {
  const principal = aPrincipal();
  let subgraph: IntegrationProcesses;
  let server: MailServerFixture;

  beforeAll(async () => {
    [subgraph, server] = await Promise.all([IntegrationProcesses.open(), aMailServer()]);
  });
  afterAll(async () => {
    await subgraph.close();
    await server.close();
  });

  async function aMailConnection(): Promise<void> {
    await aCommandConnection(subgraph, principal, {
      capabilities: ["email.send"],
      driver: { smtp: { host: "127.0.0.1", port: server.port, security: "none" } },
    });
  }

  async function send(): Promise<string> {
    const data = { to: ["ada@people.example"], from: "me@sender.example", subject: "Hi", text: "x" };
    const input = { tenantId: principal.tenantId, type: "SendEmail", data };
    return (await subgraph.process.call("sendCommand", aPrincipal(), input)).commandId;
  }

  const receivedIds = () => server.received.map(({ text }) => /^Message-ID: <(cmd_\w+)@/m.exec(text)?.[1] ?? "");

  it("loses no mail, and sends at most one more for each kill, with the same Message-ID", async () => {
    const commandIds: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      // an earlier kill's command may end the process before it is ready
      if (!(await subgraph.startMortal(`${phases[(count + 1) % phases.length]}:kill:1`))) continue;
      if (commandIds.length === 0) await aMailConnection();
      await send().then(
        (commandId) => commandIds.push(commandId),
        () => undefined,
      );
      expect(await subgraph.process.ended).toBeNull();
    }
    await subgraph.start();
    commandIds.push(await send());
    const open = async () => {
      const query = "{ runs(filter: { operation: SendEmail }, first: 100) { items { status } } }";
      const { items } = await subgraph.only(principal, query);
      return items.filter(({ status }: { status: string }) => status !== "Completed").length;
    };
    await eventually("each mail has arrived", () => commandIds.every((id) => receivedIds().includes(id)), takeoverMs);
    await eventually("no run is open", async () => (await open()) === 0, takeoverMs);
    expect(receivedIds().length - new Set(receivedIds()).size).toBeLessThanOrEqual(kills);
  }, 1_200_000);
});
