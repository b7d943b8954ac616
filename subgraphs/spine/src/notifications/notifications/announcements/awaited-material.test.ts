import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createEvent, type Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Scope } from "@factory/schema/scopes";
import { aUser } from "../../../people/users/user.fixture.js";
import { type Json, principal, RunningSpine, until } from "../../../running-spine.fixture.js";

let platform: RunningSpine;
let count = 0;
beforeAll(async () => {
  platform = await RunningSpine.start();
});
afterAll(() => platform?.stop());

const rights: readonly Scope[] = ["notification.read", "integration.credentials.rotate"];

function awaited(tenantId: string, credentialId = newId("crd")): Envelope {
  const data = {
    ...{ credentialId, name: "payment/stripe", kind: "ApiKey", reason: "ScheduledRotation", version: 2 },
    ...{ newVersionRef: "secret://payment/stripe#v2", verificationRunId: newId("run") },
    ...{ giveAt: "POST /integrations/credentials/rotate", materialDueAt: "2026-12-05T00:00:00.000Z" },
  };
  const event = { type: "CredentialMaterialAwaited", subject: `credentials/${credentialId}`, data } as const;
  return createEvent(event, tenantId, { trace: continueTrace(undefined), actorId: "usr_any" });
}

async function aPerson(tenantId: string, scopes: readonly Scope[]) {
  const { userId } = await aUser(platform, tenantId, scopes);
  return { ...principal(tenantId, scopes), subject: userId, principalType: "User" as const };
}

async function notifiedOf(person: Awaited<ReturnType<typeof aPerson>>): Promise<Json[]> {
  const query = "{ notifications(first: 100) { items { channel category title body recipient { userId } } } }";
  const { data } = await platform.ask(person, query);
  const items: Json[] = data?.["notifications"].items;
  return items.filter(({ recipient }) => recipient.userId === person.subject);
}

const isToldTo = (person: Awaited<ReturnType<typeof aPerson>>, least: number) =>
  until(async () => (await notifiedOf(person)).length >= least);

describe("a version that waits for its material", () => {
  it("is told to the people who may give it, with the place, and to nobody else", async () => {
    const tenantId = await platform.activeTenant(`awaited-${++count}`);
    const other = await platform.activeTenant(`awaited-${++count}`);
    const [holder, member, stranger] = [
      await aPerson(tenantId, rights),
      await aPerson(tenantId, ["notification.read"]),
      await aPerson(other, rights),
    ];
    const event = awaited(tenantId);
    await platform.host.bus.publish([event]);
    await isToldTo(holder, 2);
    const notifications = await notifiedOf(holder);
    expect(new Set(notifications.map(({ channel }) => channel))).toEqual(new Set(["Email", "InApp"]));
    for (const { title, body } of notifications) {
      expect(title).toContain("payment/stripe");
      for (const fact of ["POST /integrations/credentials/rotate", event.data["credentialId"], "2026-12-05"])
        expect(body).toContain(fact);
    }
    for (const person of [member, stranger]) expect(await notifiedOf(person)).toEqual([]);
  });

  it("is told to an active person, however many disabled ones have had the right for longer", async () => {
    const tenantId = await platform.activeTenant(`awaited-${++count}`);
    for (let turn = 0; turn < 21; turn += 1) await aUser(platform, tenantId, rights);
    await platform.admin.query("update spine.users set status = 'Disabled' where tenant_id = $1", [
      decodeId("ten", tenantId),
    ]);
    const holder = await aPerson(tenantId, rights);
    await platform.host.bus.publish([awaited(tenantId)]);
    await isToldTo(holder, 2);
    expect(await notifiedOf(holder)).toHaveLength(2);
  });

  it("is told once, however often the bus delivers its event", async () => {
    const tenantId = await platform.activeTenant(`awaited-${++count}`);
    const holder = await aPerson(tenantId, rights);
    const [event, next] = [awaited(tenantId), awaited(tenantId)];
    await platform.host.bus.publish([event]);
    await isToldTo(holder, 2);
    // The bus stores a message with a known id once, so it has to forget the first one.
    await platform.admin.query("update bus.messages set event_id = $1 where event_id = $2", [newId("evt"), event.id]);
    await platform.host.bus.publish([event, next]);
    await isToldTo(holder, 4);
    expect(await notifiedOf(holder)).toHaveLength(4);
  });

  it("does not flood people: a tenant's twenty-first of an hour is in the list of credentials only", async () => {
    const tenantId = await platform.activeTenant(`awaited-${++count}`);
    const neighbor = await platform.activeTenant(`awaited-${++count}`);
    const [holder, other] = [await aPerson(tenantId, rights), await aPerson(neighbor, rights)];
    await platform.host.bus.publish(Array.from({ length: 30 }, () => awaited(tenantId)));
    await platform.host.bus.publish([awaited(neighbor)]);
    await isToldTo(other, 2);
    await isToldTo(holder, 40);
    const last = awaited(neighbor);
    await platform.host.bus.publish([last]);
    await isToldTo(other, 4);
    expect(await notifiedOf(holder)).toHaveLength(40);
  });
});
