import type { Principal } from "@factory/runtime/auth/principal";
import type { CommandEnvelope, Envelope } from "@factory/runtime/messages/envelope";
import { aVendorServer, type VendorServer } from "../../connections/vendor-calls/vendor.fixture.js";
import { aPrincipal, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import { aCommand, aCommandConnection, answersTo } from "./vendor-commands.fixture.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let principal: Principal;

beforeAll(async () => {
  [fixture, vendor] = await Promise.all([sharedIntegration(), aVendorServer()]);
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.requests.length = 0;
});

afterAll(async () => {
  await fixture.close();
  await vendor.close();
});

/** The requests for commands, without the connections' probes. */
const postRequests = () => vendor.requests.filter(({ method }) => method === "POST");

interface Answered {
  readonly command: CommandEnvelope;
  readonly answer: Envelope | undefined;
  /** The body in the last request that the vendor got. */
  readonly body: unknown;
}

async function answered(type: "SyncContact" | "OpenTicket", data: Record<string, unknown>): Promise<Answered> {
  const command = aCommand(principal, type, data);
  await fixture.bus.publish([command]);
  const [answer] = await answersTo(fixture, command);
  return { command, answer, body: JSON.parse(postRequests().at(-1)?.body ?? "null") };
}

describe("a command to sync a contact", () => {
  const connect = () =>
    aCommandConnection(fixture, principal, {
      ...{ preset: "hubspot", capabilities: ["contacts.write"], baseUrl: vendor.origin },
      ...{ authMode: "BearerToken", kind: "BearerToken", secret: { token: "secret" } },
    });
  const contact = { externalId: "customer-42", email: "ada@people.example", lastName: 'Lovelace"}' };

  it("names the contact by the id of the sender, and is answered with the vendor's id", async () => {
    const { connectionId, providerId } = await connect();
    vendor.answer = () => ({ status: 200, body: '{"results":[{"id":"512","new":true}]}' });
    const { command, answer, body } = await answered("SyncContact", contact);
    expect(answer).toMatchObject({
      type: "ContactSynced",
      ...{ causationid: command.id, correlationid: command.correlationid, traceid: command.traceid },
      data: { commandId: command.id, connectionId, providerId, vendorId: "512" },
    });
    expect(JSON.stringify(answer)).not.toContain("customer-42");
    expect(postRequests()).toMatchObject([{ method: "POST", path: "/crm/v3/objects/contacts/batch/upsert" }]);
    expect(body).toEqual({
      inputs: [
        {
          ...{ idProperty: "external_id", id: "customer-42" },
          properties: { external_id: "customer-42", email: contact.email, lastname: contact.lastName },
        },
      ],
    });
  });

  it("is repeated when the vendor may have carried it out, since that changes nothing", async () => {
    await connect();
    vendor.answer = () =>
      postRequests().length < 3 ? { status: 502 } : { status: 200, body: '{"results":[{"id":512}]}' };
    const { answer } = await answered("SyncContact", contact);
    expect(answer).toMatchObject({ type: "ContactSynced", data: { vendorId: "512" } });
    expect(new Set(postRequests().map(({ body }) => body)).size).toBe(1);
    expect(postRequests()).toHaveLength(3);
  });

  it("is given up when the answer has no id, so that nobody knows what happened", async () => {
    await connect();
    vendor.answer = () => ({ status: 207, body: '{"results":[],"errors":[{"message":"a private matter"}]}' });
    const { answer } = await answered("SyncContact", contact);
    expect(answer).toMatchObject({
      type: "CommandDeadLettered",
      data: { command: "SyncContact", error: { code: "OUTCOME_UNKNOWN" } },
    });
    expect(JSON.stringify(answer)).not.toContain("a private matter");
  });

  it.each<[string, Record<string, unknown>]>([
    ["no fact about the contact", { externalId: "customer-42" }],
    ["no id of the sender", { email: contact.email }],
    ["an address that is none", { ...contact, email: "ada" }],
  ])("is rejected with %s", async (_, data) => {
    await connect();
    const { answer } = await answered("SyncContact", data);
    expect(answer).toMatchObject({ type: "CommandRejected", data: { error: { code: "VALIDATION_FAILED" } } });
    expect(postRequests()).toEqual([]);
  });
});

describe("a command to open a ticket", () => {
  const connect = () =>
    aCommandConnection(fixture, principal, {
      ...{ preset: "zendesk", capabilities: ["tickets.write"], baseUrl: vendor.origin },
      ...{ authMode: "Basic", kind: "Basic", secret: { username: "account", password: "secret" } },
    });
  const ticket = {
    ...{ subject: "The order has not arrived", text: "It was due on Monday.", priority: "high" },
    requester: { email: "ada@people.example" },
  };

  it("has an idempotency key, and is answered with the id and the address of the ticket", async () => {
    await connect();
    const url = "https://acme.vendor.example/api/v2/tickets/35.json";
    vendor.answer = () => ({ status: 201, body: JSON.stringify({ ticket: { id: 35, url } }) });
    const { command, answer, body } = await answered("OpenTicket", ticket);
    expect(answer).toMatchObject({ type: "TicketOpened", causationid: command.id, data: { vendorId: "35", url } });
    expect(postRequests()).toMatchObject([
      { path: "/api/v2/tickets.json", headers: { "idempotency-key": command.id } },
    ]);
    expect(body).toEqual({
      ticket: {
        ...{ external_id: command.id, subject: ticket.subject, comment: { body: ticket.text }, priority: "high" },
        requester: ticket.requester,
      },
    });
  });

  it.each(["javascript:alert(1)", "//vendor.example/35", "https://vendor.example/a b"])(
    "has no address where the vendor gives %s",
    async (url) => {
      await connect();
      vendor.answer = () => ({ status: 201, body: JSON.stringify({ ticket: { id: 35, url } }) });
      const { answer } = await answered("OpenTicket", ticket);
      expect(answer).toMatchObject({ type: "TicketOpened", data: { vendorId: "35", url: null } });
    },
  );

  it("is given up when the vendor refuses it, since it has no failure of its own", async () => {
    await connect();
    vendor.answer = () => ({ status: 422 });
    const { answer } = await answered("OpenTicket", ticket);
    expect(answer).toMatchObject({ type: "CommandDeadLettered", data: { error: { code: "VENDOR_REFUSED" } } });
    expect(postRequests()).toHaveLength(1);
  });
});
