import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import { aCommand, aCommandConnection, answersTo } from "./vendor-commands.fixture.js";

let fixture: IntegrationFixture;
let principal: Principal;

beforeAll(async () => {
  fixture = await sharedIntegration();
});
beforeEach(() => {
  principal = aPrincipal();
});
afterAll(() => fixture.close());

const template = { method: "POST", path: "/mail", encoding: "json", body: { to: { $value: "/to" } } };
const mail = { to: ["ada@people.example"], from: "me@sender.example", subject: "Hello", text: "You." };

/** A connection to a vendor that cannot be reached, so that its commands wait for another attempt. */
const connect = (capabilities = ["email.send"]) =>
  aCommandConnection(fixture, principal, {
    ...{ capabilities, baseUrl: "http://127.0.0.1:1", driver: { commands: { SendEmail: template } } },
  });

async function sent(data: object, expiresAt?: Date): Promise<CommandEnvelope> {
  const command = aCommand(principal, "SendEmail", { ...mail, ...data }, expiresAt);
  await fixture.bus.publish([command]);
  return command;
}

const move = async (mutation: "suspendConnection" | "deleteConnection", connectionId: string) => {
  const source = `mutation ($connectionId: ID!) { ${mutation}(connectionId: $connectionId) { status } }`;
  const { errors } = await fixture.run(principal, source, { connectionId });
  expect(errors).toBeUndefined();
};

interface RunRow {
  run: string;
  status: string;
  attempts: number;
}

async function runOf(command: CommandEnvelope): Promise<RunRow | undefined> {
  const [row] = await fixture.rows<RunRow>(
    `select run.run_id as run, run.status, run.attempts from integration.vendor_commands join integration.runs run using (tenant_id, run_id)
     where command_id = $1`,
    decodeId("cmd", command.id),
  );
  return row;
}

/** Resolves when the command waits for the attempt after this one. */
const waits = (command: CommandEnvelope, attempts = 1) =>
  eventually(async () => {
    const row = await runOf(command);
    return row?.status === "RetryScheduled" && row.attempts === attempts ? row : undefined;
  });

/** Lets a waiting run's next attempt begin now. */
const hurry = (tenantId: string) =>
  fixture.rows(
    "update integration_jobs.job set start_after = now() where group_id = $1 and name = 'integration.runs' and state < 'active'",
    tenantId,
  );

/** The answer to a command whose next attempt begins now. */
async function answerAfterHurry(command: CommandEnvelope) {
  await hurry(command.tenantid);
  return (await answersTo(fixture, command))[0];
}

describe("a command is rejected at its arrival", () => {
  const refusalEvents = (command: CommandEnvelope, code: string) => [
    expect.objectContaining({
      type: "CommandRejected",
      actorid: principal.subject,
      data: { commandId: command.id, command: "SendEmail", error: { code, detail: expect.any(String) } },
    }),
  ];

  it("by a provider without the capability, whether or not the command names the connection", async () => {
    const { connectionId } = await connect(["sms.send"]);
    for (const data of [{ connectionId }, {}]) {
      const command = await sent(data);
      expect(await answersTo(fixture, command)).toEqual(refusalEvents(command, "REFERENCE_NOT_FOUND"));
      expect(await runOf(command)).toBeUndefined();
    }
  });

  it("by a suspended connection", async () => {
    const { connectionId } = await connect();
    await move("suspendConnection", connectionId);
    const namedCommand = await sent({ connectionId });
    expect(await answersTo(fixture, namedCommand)).toEqual(refusalEvents(namedCommand, "INVALID_STATE"));
    const other = await sent({});
    expect(await answersTo(fixture, other)).toEqual(refusalEvents(other, "REFERENCE_NOT_FOUND"));
  });

  it("by members that this release does not carry out, which it names", async () => {
    await connect();
    for (const member of ["templateRef", "attachmentsRef"]) {
      const command = await sent({ [member]: "stored://one" });
      const [answer] = await answersTo(fixture, command);
      expect([answer]).toEqual(refusalEvents(command, "VALIDATION_FAILED"));
      expect(JSON.stringify(answer?.data)).toContain(member);
    }
  });
});

describe("a command that waits for another attempt", () => {
  it("is rejected when its time has passed, and was not carried out", async () => {
    await connect();
    const command = await sent({}, new Date(Date.now() + 3_600_000));
    await waits(command);
    const expire = "update integration.vendor_commands set expires_at = now() where command_id = $1";
    await fixture.rows(expire, decodeId("cmd", command.id));
    expect(await answerAfterHurry(command)).toMatchObject({
      type: "CommandRejected",
      data: { command: "SendEmail", error: { code: "COMMAND_EXPIRED" } },
    });
  });

  it("fails when its connection is suspended, and was not carried out", async () => {
    const { connectionId } = await connect();
    const command = await sent({});
    await waits(command);
    await move("suspendConnection", connectionId);
    const failureEvent = { type: "EmailFailed", data: { error: { code: "INVALID_STATE" } } };
    expect(await answerAfterHurry(command)).toMatchObject(failureEvent);
  });

  it("is dead-lettered when its connection is deleted, which cancels its run", async () => {
    const { connectionId } = await connect();
    const command = await sent({});
    await waits(command);
    await move("deleteConnection", connectionId);
    const [answer] = await answersTo(fixture, command);
    expect(answer).toMatchObject({ type: "CommandDeadLettered", data: { error: { code: "RUN_CANCELLED" } } });
  });

  it("is dead-lettered when its run is cancelled", async () => {
    await connect();
    const command = await sent({});
    const { run } = await waits(command);
    await fixture.run(principal, "mutation ($runId: ID!) { cancelRun(runId: $runId) { status } }", {
      runId: encodeId("run", run),
    });
    expect((await answersTo(fixture, command))[0]).toMatchObject({
      type: "CommandDeadLettered",
      data: { command: "SendEmail", error: { code: "RUN_CANCELLED" } },
    });
  });

  it("is dead-lettered after five attempts", async () => {
    await connect();
    const command = await sent({});
    for (const attempts of [1, 2, 3, 4]) {
      await waits(command, attempts);
      await hurry(command.tenantid);
    }
    expect((await answersTo(fixture, command))[0]).toMatchObject({
      type: "CommandDeadLettered",
      ...{ causationid: command.id, correlationid: command.correlationid, actorid: principal.subject },
      data: { command: "SendEmail", error: { code: "UPSTREAM_FAILED" } },
    });
    expect(await runOf(command)).toMatchObject({ status: "Failed", attempts: 5 });
    const ciphertextQuery = "select ciphertext from integration.vendor_commands where command_id = $1";
    expect(await fixture.rows(ciphertextQuery, decodeId("cmd", command.id))).toEqual([{ ciphertext: null }]);
  });
});
