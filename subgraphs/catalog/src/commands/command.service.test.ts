import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createCommand, type NewCommand } from "@factory/runtime/messages/command";
import type { CommandEnvelope, Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import { eventTypes } from "@factory/schema/event-names";
import { aPrincipal, type CatalogFixture, startCatalogFixture } from "../catalog.fixture.js";
import { nuspecOf } from "../libraries/library-packages/nuspec.fixture.js";
import { PackageServer } from "../sources/sources/packages/package-server.fixture.js";
import { zipOf } from "../sources/sources/packages/zip.fixture.js";

describe("commands of the bus", () => {
  let fixture: CatalogFixture;
  let actor: Principal;
  const trace = continueTrace(undefined);

  beforeAll(async () => {
    fixture = await startCatalogFixture({ verify: () => Promise.reject(new Error("nobody asks")) });
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    actor = aPrincipal();
  });

  const tenant = (): Tenant => tenantWithId(actor.tenantId ?? "");
  const causeOf = ({ subject, scopes }: Principal) => ({ trace, actorId: subject, actorScopes: scopes });
  const command = (type: CommandType, data: Record<string, unknown>): NewCommand => ({
    type,
    subject: `versions/${String(Object.values(data)[0])}`,
    data,
  });
  const send = (type: CommandType, data: Record<string, unknown>, by = actor): Promise<CommandEnvelope> =>
    fixture.database.transaction(tenant(), causeOf(by), async (transaction) => transaction.send(command(type, data)));
  const sealedCommand = (type: CommandType, data: Record<string, unknown>) =>
    createCommand(command(type, data), "spine", actor.tenantId ?? "", causeOf(actor));
  /** Events that the command caused. */
  const causedBy = async ({ id }: Pick<CommandEnvelope, "id">) =>
    (
      await fixture.rows<{ envelope: Envelope }>(
        "select envelope from catalog.outbox where envelope->>'causationid' = $1 order by seq",
        id,
      )
    ).map(({ envelope }) => envelope);
  const answerTo = async (command: Pick<CommandEnvelope, "id">): Promise<Envelope> => {
    for (let attempt = 0; attempt < 6000; attempt += 1) {
      const [first] = await causedBy(command);
      if (first) return first;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error("no answer");
  };
  /** Resolves when the condition holds, or after a minute. */
  const until = async (condition: () => Promise<boolean> | boolean) => {
    const deadline = Date.now() + 180_000;
    while (!(await condition()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  /** Resolves when the consumer is past everything that was published before. */
  const passEarlierCommands = async () =>
    answerTo(await send("PublishTemplateVersion", { templateVersionId: newId("tpv") }));
  const refusal = (code: string) => ({ type: "CommandRefused", data: expect.objectContaining({ code }) });

  it("have names that no event has", () => {
    expect(Object.keys(commandTypes).filter((name) => Object.hasOwn(eventTypes, name))).toEqual([]);
  });

  it("publish and deprecate versions for their actor", async () => {
    const templateVersionId = await fixture.aTemplateVersion(actor);
    const publishCommand = await send("PublishTemplateVersion", { templateVersionId });
    const deprecateCommand = await send("DeprecateTemplateVersion", {
      templateVersionId,
      reason: "Legacy",
      message: "Old.",
    });
    expect(await answerTo(publishCommand)).toMatchObject({
      type: "TemplateVersionPublished",
      actorid: actor.subject,
      tenantid: actor.tenantId,
      traceid: trace.traceId,
      correlationid: publishCommand.correlationid,
      data: { templateVersionId },
    });
    expect(await answerTo(deprecateCommand)).toMatchObject({
      type: "TemplateVersionDeprecated",
      data: { templateVersionId, reason: "Legacy", message: "Old.", replacementTemplateVersionId: null },
    });
  });

  it("publish, deprecate and retire versions of libraries, in the order in which they were sent", async () => {
    const libraryVersionId = await fixture.aLibraryVersion(actor);
    const alternatePackage = { packageName: "Acme.Newer", range: "[2.0,)" };
    const commands = await fixture.database.transaction(tenant(), causeOf(actor), async (transaction) => [
      transaction.send(command("PublishLibraryVersion", { libraryVersionId })),
      transaction.send(command("DeprecateLibraryVersion", { libraryVersionId, reason: "Other", alternatePackage })),
      transaction.send(command("RetireLibraryVersion", { libraryVersionId, reason: "Recalled." })),
    ]);
    const answers = await Promise.all(commands.map((sentCommand) => answerTo(sentCommand)));
    expect(answers.map(({ type }) => type)).toEqual([
      "LibraryVersionPublished",
      "LibraryVersionDeprecated",
      "LibraryVersionRetired",
    ]);
    expect(answers[1]?.data).toMatchObject({ reason: "Other", alternatePackage });
    expect(answers[2]?.data).toMatchObject({ reason: "Recalled." });
  });

  it("take effect once however often they are delivered", async () => {
    const libraryVersionId = await fixture.aLibraryVersion(actor);
    const envelope = sealedCommand("PublishLibraryVersion", { libraryVersionId });
    await fixture.bus.publish([envelope]);
    await answerTo(envelope);
    await deliverAgain(envelope);
    await passEarlierCommands();
    expect((await causedBy(envelope)).map(({ type }) => type)).toEqual(["LibraryVersionPublished"]);
  });

  it("stay refused, though they might succeed when they are delivered again", async () => {
    const templateVersionId = await fixture.aTemplateVersion(actor, { validated: false });
    const envelope = sealedCommand("PublishTemplateVersion", { templateVersionId });
    await fixture.bus.publish([envelope]);
    expect(await answerTo(envelope)).toMatchObject(refusal("TEMPLATE_VERSION_NOT_VALIDATED"));
    await fixture.passEveryCheck(templateVersionId);
    await deliverAgain(envelope);
    await passEarlierCommands();
    expect(await causedBy(envelope)).toHaveLength(1);
    expect(await answerTo(await send("PublishTemplateVersion", { templateVersionId }))).toMatchObject({
      type: "TemplateVersionPublished",
    });
  });

  it("are refused with their errors, and do not delay other commands", async () => {
    const libraryVersionId = await fixture.aLibraryVersion(actor);
    const wrong: [CommandType, Record<string, unknown>, string][] = [
      ["PublishTemplateVersion", { templateVersionId: newId("tpv") }, "TEMPLATE_VERSION_NOT_FOUND"],
      ["PublishTemplateVersion", {}, "VALIDATION_FAILED"],
      ["PublishTemplateVersion", { templateVersionId: 7 }, "VALIDATION_FAILED"],
      ["PublishTemplateVersion", { templateVersionId: newId("lbv") }, "VALIDATION_FAILED"],
      ["DeprecateTemplateVersion", { templateVersionId: newId("tpv"), reason: "Whim" }, "VALIDATION_FAILED"],
      ["RetireLibraryVersion", { libraryVersionId, reason: "" }, "VALIDATION_FAILED"],
      ["RetireLibraryVersion", { libraryVersionId, reason: "never published" }, "INVALID_STATE"],
      [
        "DeprecateLibraryVersion",
        { libraryVersionId, reason: "Other", message: "x".repeat(2001) },
        "VALIDATION_FAILED",
      ],
      ["PublishLibraryVersion", { libraryVersionId: newId("lbv") }, "LIBRARY_VERSION_NOT_FOUND"],
    ];
    for (const [type, data, code] of wrong) {
      const envelope = await send(type, data);
      expect(await answerTo(envelope)).toMatchObject({
        type: "CommandRefused",
        subject: `commands/${envelope.id}`,
        correlationid: envelope.correlationid,
        data: { commandId: envelope.id, command: type, code, detail: expect.any(String) },
      });
    }
    expect(await answerTo(await send("PublishLibraryVersion", { libraryVersionId }))).toMatchObject({
      type: "LibraryVersionPublished",
    });
  });

  it("reach no version of another tenant", async () => {
    const templateVersionId = await fixture.aTemplateVersion(aPrincipal());
    const envelope = await send("PublishTemplateVersion", { templateVersionId });
    expect(await answerTo(envelope)).toMatchObject(refusal("TEMPLATE_VERSION_NOT_FOUND"));
  });

  it("are not sent for an actor without their scopes, and take their transaction along", async () => {
    const by = { ...actor, scopes: new Set(["templates.publish"]) };
    const attempt = fixture.database.transaction(tenant(), causeOf(by), async (transaction) => {
      transaction.record({ type: "TemplateRegistered", subject: "templates/tpl", data: {} });
      transaction.send(command("PublishLibraryVersion", { libraryVersionId: newId("lbv") }));
    });
    await expect(attempt).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      facts: { requiredScopes: ["libraries.publish"] },
    });
    expect(
      await fixture.rows("select from catalog.outbox where envelope->>'tenantid' = $1", actor.tenantId),
    ).toHaveLength(0);
  });

  describe("to import a package", () => {
    let server: PackageServer;
    beforeAll(async () => {
      server = await PackageServer.start();
    });
    afterAll(() => server.stop());

    const files = { "A.nuspec": nuspecOf("", { id: "Acme.Scanned", version: "1.2.3" }), "lib/net8.0/A.dll": "MZ" };

    it("register its version, once however often they are delivered", async () => {
      const sourceRef = `nupkg+${server.serve("/acme.scanned.nupkg", zipOf(files))}`;
      const envelope = sealedCommand("ImportLibraryPackage", { sourceRef });
      await fixture.bus.publish([envelope]);
      expect(await answerTo(envelope)).toMatchObject({ type: "LibraryRegistered", actorid: actor.subject });
      await deliverAgain(envelope);
      await passEarlierCommands();
      const causedEvents = (await causedBy(envelope)).map(({ type, data }) => [type, data["semanticVersion"]]);
      expect(causedEvents).toEqual([
        ["LibraryRegistered", undefined],
        ["LibraryVersionRegistered", "1.2.3"],
      ]);
      const again = await send("ImportLibraryPackage", { sourceRef, libraryId: null });
      expect(await answerTo(again)).toMatchObject(refusal("LIBRARY_VERSION_EXISTS"));
    });

    it("are refused like their mutation", async () => {
      const wrong: [Record<string, unknown>, string][] = [
        [{}, "VALIDATION_FAILED"],
        [{ sourceRef: "nonsense" }, "SOURCE_REF_INVALID"],
        [{ sourceRef: `nupkg+${server.url}/nothing.nupkg` }, "LIBRARY_PACKAGE_INVALID"],
        [{ sourceRef: `nupkg+${server.url}/a.nupkg`, libraryId: newId("lib") }, "LIBRARY_NOT_FOUND"],
      ];
      for (const [data, code] of wrong)
        expect(await answerTo(await send("ImportLibraryPackage", data))).toMatchObject(refusal(code));
    });

    it("hold up no other command while a server does not answer", async () => {
      server.on("/silent.nupkg", () => undefined);
      const waiting = await send("ImportLibraryPackage", { sourceRef: `nupkg+${server.url}/silent.nupkg` });
      await until(() => server.asked.includes("/silent.nupkg"));
      expect(server.asked).toContain("/silent.nupkg");
      expect((await passEarlierCommands()).type).toBe("CommandRefused");
      expect(await causedBy(waiting)).toEqual([]);
    });
  });

  describe("to scan dependencies", () => {
    const set = { runtime: "net8.0", libraries: [{ packageName: "Foreign", version: "1.0.0" }] };

    it("store one scan, however often they are delivered", async () => {
      const envelope = sealedCommand("ScanDependencies", set);
      await fixture.bus.publish([envelope]);
      expect(await answerTo(envelope)).toMatchObject({
        type: "DependenciesScanned",
        actorid: actor.subject,
        correlationid: envelope.correlationid,
        data: { templateVersionId: null, packageCount: 1, unknownCount: 1 },
      });
      await deliverAgain(envelope);
      await passEarlierCommands();
      expect(await causedBy(envelope)).toHaveLength(1);
    });

    it("are refused like their mutation", async () => {
      const wrong: [Record<string, unknown>, string][] = [
        [{}, "VALIDATION_FAILED"],
        [{ ...set, libraries: [] }, "VALIDATION_FAILED"],
        [{ ...set, runtime: "x" }, "RUNTIME_NOT_RECOGNISED"],
        [{ templateVersionId: newId("tpv") }, "TEMPLATE_VERSION_NOT_FOUND"],
        [{ templateVersionId: await fixture.aTemplateVersion(actor) }, "DEPENDENCY_SCAN_FAILED"],
      ];
      for (const [data, code] of wrong)
        expect(await answerTo(await send("ScanDependencies", data))).toMatchObject(refusal(code));
    });
  });

  it("are never sent without an actor", async () => {
    const attempt = fixture.database.transaction(tenant(), { trace }, async (transaction) => {
      transaction.send(command("PublishLibraryVersion", { libraryVersionId: newId("lbv") }));
    });
    await expect(attempt).rejects.toThrow("without an actor");
  });

  it.each([
    ["of a tenant that is none", { tenantid: "ten_none" }],
    ["of nobody", { actorid: "" }],
  ])("%s are parked, and the next goes on", async (_what, fault) => {
    const whole = sealedCommand("PublishLibraryVersion", { libraryVersionId: newId("lbv") });
    await fixture.bus.publish([{ ...whole, ...fault }, sealedCommand("PublishLibraryVersion", {})]);
    expect((await passEarlierCommands()).type).toBe("CommandRefused");
    const text = "select consumer from bus.dead_letters where envelope->>'id' = $1";
    // its retries may end after the next message
    await until(async () => (await fixture.rows(text, whole.id)).length > 0);
    expect(await fixture.rows(text, whole.id)).toEqual([{ consumer: "catalog.commands" }]);
  });

  /** As a bus does whose consumer died before it could say that it was done. */
  async function deliverAgain({ id }: CommandEnvelope): Promise<void> {
    await fixture.rows(
      `update bus.consumers set position = (select position - 1 from bus.messages where event_id = $1)
       where name = 'catalog.commands'`,
      id,
    );
  }
});
