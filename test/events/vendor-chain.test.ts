import { aCommandSender, type CommandSender } from "../kit/command-sender.js";
import { aConnection } from "../kit/connections.js";
import { aCredential } from "../kit/credentials.js";
import { eventually } from "../kit/eventually.js";
import { anInboundSource } from "../kit/inbound-sources.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { aVendor, type Vendor, type VendorCall } from "../kit/vendor.js";
import { fromGithub } from "../kit/vendor-senders.js";

interface Member {
  readonly kind: string;
  readonly type: string | null;
  readonly time: string;
  readonly readable: boolean;
  readonly id: string | null;
  readonly status: string | null;
  readonly causationId: string | null;
  readonly subjectPath: string | null;
  readonly traceId: string | null;
}

interface Chain {
  readonly correlationId: string | null;
  readonly complete: boolean;
  readonly truncated: boolean;
  readonly members: readonly Member[];
}

const query = `query ($eventId: ID!) { causalChain(eventId: $eventId) {
  correlationId complete truncated
  members { kind type time readable id status causationId subjectPath traceId } } }`;

const chainOf = (token: string, eventId: string) =>
  graphql<{ causalChain: Chain }>(query, { token, variables: { eventId } });

const traceIdIn = (header: unknown) => String(header).split("-")[1];

describe.each(["catalog", "spine"] as const)(
  "a delivery that the %s answers with a command to a vendor",
  (subgraph) => {
    let tenant: TestTenant;
    let token: string;
    let vendor: Vendor;
    let receiver: Receiver;
    let sender: CommandSender;
    let call: VendorCall | undefined;
    let traceId: string;

    beforeAll(async () => {
      [vendor, receiver, tenant] = await Promise.all([aVendor(), aReceiver(), aTenant()]);
      token = await tenant.tokenWith();
      vendor.accepted.add("key");
      const template = {
        ...{ method: "POST", path: "/mail", encoding: "json", body: { to: { $value: "/to" } } },
        vendorId: "body:/path",
      };
      const driver = { commands: { SendEmail: template } };
      const source = await anInboundSource(token, {
        ...{ preset: "github", provider: { baseUrl: vendor.baseUrl, capabilities: ["email.send"], driver } },
      });
      const { credentialRef } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "key" } });
      const connectionId = await aConnection(token, source.providerId, { credentialRef });
      const body = { eventType: "EmailSent", endpointUrl: receiver.url, signingSecretRef: "chain" };
      const subscription = await request("POST /webhooks/subscriptions", { token, body });
      expect(subscription.status).toBe(201);
      const data = {
        to: ["ada@people.example"],
        from: "me@sender.example",
        subject: "Opened",
        text: "You.",
        connectionId,
      };
      sender = await aCommandSender(subgraph, {
        ...{ tenantId: tenant.tenantId, on: "PullRequestOpened", command: "SendEmail", data },
        answers: ["EmailSent", "EmailFailed", "CommandRejected", "CommandDeadLettered"],
      });
      const { pathname, search } = new URL(source.deliveryUrl);
      const openedPayload = { action: "opened", number: 7, pull_request: { merged: false } };
      const delivery = await request<{ traceId: string }>(
        `POST ${pathname}${search}`,
        fromGithub(source.secret, `delivery-${subgraph}`, "pull_request", openedPayload),
      );
      expect(delivery.status).toBe(202);
      traceId = delivery.body.traceId;
      await eventually("the answer is at the sender and at the receiver", () =>
        [sender.answers, receiver.received].every(({ length }) => length > 0),
      );
      call = vendor.calls.find(({ path }) => path === "/mail");
    });

    afterAll(() => Promise.all([sender.close(), vendor.close(), receiver.close()]));

    it("comes back to the sender, who knows it by the id of its command", () => {
      expect(sender.sent).toHaveLength(1);
      expect(sender.sent[0]).toMatchObject({ source: `/${subgraph}`, causationid: sender.events[0]?.id });
      expect(sender.answers).toMatchObject([{ type: "EmailSent", causationid: sender.sent[0]?.id }]);
    });

    it("has one trace and one correlation id from the delivery to the webhook", async () => {
      const [event, command, answer] = [sender.events[0], sender.sent[0], sender.answers[0]];
      const expectedTrace = { traceid: traceId, correlationid: event?.correlationid, tenantid: tenant.tenantId };
      expect([event, command, answer]).toEqual(
        [expectedTrace, expectedTrace, expectedTrace].map((trace) => expect.objectContaining(trace)),
      );
      expect(traceIdIn(call?.headers["traceparent"])).toBe(traceId);
      const [webhook] = receiver.received;
      expect(traceIdIn(webhook?.headers["traceparent"])).toBe(traceId);
      expect(JSON.parse(webhook?.body ?? "")).toMatchObject({ id: answer?.id, type: "EmailSent", ...expectedTrace });
      const run = await request(`GET /integrations/runs/${String(answer?.data["runId"])}`, { token });
      expect(run.body).toMatchObject({ operation: "SendEmail", status: "Completed", traceId });
    });

    it("is shown in order by causalChain, from each of its events", async () => {
      const [event, command, answer] = [sender.events[0], sender.sent[0], sender.answers[0]];
      const { body } = await chainOf(token, event?.id ?? "");
      const { members, ...chain } = body.data.causalChain;
      expect(chain).toEqual({ correlationId: event?.correlationid, complete: true, truncated: false });
      expect(new Set(members.map((member) => member.kind === "Webhook" || member.traceId))).toEqual(
        new Set([true, traceId]),
      );
      const placeOf = (kind: string, type?: string | null) =>
        members.findIndex((member) => member.kind === kind && (type === undefined || member.type === type));
      const places = [
        placeOf("Event", "PullRequestOpened"),
        placeOf("Command"),
        placeOf("Run", "SendEmail"),
        placeOf("Event", "EmailSent"),
        placeOf("Webhook", "EmailSent"),
      ];
      expect(placeOf("Delivery", "PullRequestOpened")).toBeLessThan(places[1] ?? 0);
      expect(places).toEqual([...places].sort((place, other) => place - other));
      expect(places).not.toContain(-1);
      expect(members[places[1] ?? 0]).toMatchObject({ id: command?.id, type: "SendEmail", status: "Done" });
      expect(members[places[3] ?? 0]).toMatchObject({ id: answer?.id, causationId: command?.id });
      const later = await chainOf(token, answer?.id ?? "");
      expect(later.body.data.causalChain.members.map(({ id }) => id)).toEqual(members.map(({ id }) => id));
    });

    it("shows only kind, type and time to a caller without the scopes, and nothing to another tenant", async () => {
      const { body } = await chainOf(await tenant.tokenWith("templates.read"), sender.events[0]?.id ?? "");
      const { members, correlationId } = body.data.causalChain;
      expect(correlationId).toBeNull();
      expect(members.length).toBeGreaterThan(5);
      const [id, status, causationId, subjectPath] = [null, null, null, null];
      const hidden = { readable: false, id, status, causationId, subjectPath, traceId: null };
      for (const member of members)
        expect(member).toEqual({ kind: expect.any(String), type: member.type, time: expect.any(String), ...hidden });
      expect(members.map(({ type }) => type)).toContain("EmailSent");
      const stranger = await (await aTenant()).tokenWith();
      const foreignChain = await chainOf(stranger, sender.events[0]?.id ?? "");
      expect(foreignChain.body.errors?.[0]?.extensions.code).toBe("NOT_FOUND");
    });
  },
);
