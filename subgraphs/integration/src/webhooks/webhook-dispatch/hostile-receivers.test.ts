import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";

let fixture: IntegrationFixture;
const servers: Server[] = [];

beforeAll(async () => {
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 100, 100, 100, 100, 100], attemptTimeoutMs: 1000 });
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map(closed));
});

afterAll(() => fixture.close());

/** A receiver that answers each request (from 1) in its own way. */
interface Receiver {
  readonly url: string;
  /** The request ids, in their order. */
  readonly ids: string[];
  readonly server: Server;
}

async function aReceiver(answer: (response: ServerResponse, nth: number) => void, port = 0): Promise<Receiver> {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    ids.push(String(request.headers["webhook-id"]));
    response.on("error", () => undefined);
    request.resume().on("end", () => answer(response, ids.length));
  });
  servers.push(server);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return { ids, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}

async function subscribe(principal: Principal, endpointUrl: string): Promise<void> {
  const input = { eventType: "TemplateRegistered", endpointUrl, signingSecretRef: "hook" };
  const { errors } = await fixture.run(
    principal,
    "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
    { input },
  );
  if (errors) throw errors[0];
}

interface MessageRow {
  readonly status: string;
  readonly failures: (string | null)[];
  readonly codes: (number | null)[];
}

const messagesOf = ({ tenantId = "" }: Principal) =>
  fixture.rows<MessageRow>(
    `select status, array_agg(failure order by number) as failures, array_agg(status_code order by number) as codes
     from integration.webhook_messages left join integration.webhook_attempts using (tenant_id, message_id)
     where tenant_id = $1 group by tenant_id, message_id, status, position order by position`,
    decodeId("ten", tenantId),
  );

/** An attempt that ends at its time limit is followed by a minute's pause, which ends now. */
const endPauses = ({ tenantId = "" }: Principal) =>
  fixture.rows(
    `update integration.webhook_messages set next_attempt_at = now()
     where tenant_id = $1 and status = 'RetryScheduled' and next_attempt_at > now() + interval '10 seconds'`,
    decodeId("ten", tenantId),
  );

const allDelivered = (principal: Principal, count: number) =>
  eventually(async () => {
    await endPauses(principal);
    const messages = await messagesOf(principal);
    return messages.length === count && messages.every(({ status }) => status === "Delivered") ? messages : undefined;
  });

/**
 * Sends one event to the receiver, which accepts it after its first request. Returns what is known about the message.
 */
async function sentTo({ url, ids }: Receiver): Promise<Partial<MessageRow>> {
  const principal = aPrincipal();
  await subscribe(principal, url);
  const event = anEvent(principal);
  await fixture.bus.publish([event]);
  const [message = {}]: Partial<MessageRow>[] = await allDelivered(principal, 1);
  expect(new Set(ids)).toEqual(new Set([event.id]));
  expect(ids.length).toBeGreaterThan(1);
  expect(message.failures?.length).toBeGreaterThanOrEqual(ids.length);
  return message;
}

describe("no webhook is lost by a slow receiver", () => {
  /** On a slow machine an honest answer may come too late as well. */
  const expectTimeouts = ({ failures = [], codes = [] }: Partial<MessageRow>) => {
    const timeouts = failures.slice(1).map(() => "Timeout");
    expect(failures).toEqual([...timeouts, null]);
    expect(codes).toEqual([...timeouts.map(() => null), 204]);
  };

  it("that does not answer", async () => {
    const receiver = await aReceiver((response, nth) => {
      if (nth > 1) response.writeHead(204).end();
    });
    expectTimeouts(await sentTo(receiver));
  });

  it("that answers without an end, a few bytes at a time", async () => {
    const receiver = await aReceiver((response, nth) => {
      if (nth > 1) return void response.writeHead(204).end();
      response.writeHead(200, { "content-type": "text/plain" });
      const drip = setInterval(() => response.write("."), 20);
      return void response.once("close", () => clearInterval(drip));
    });
    expectTimeouts(await sentTo(receiver));
  });
});

describe("no webhook is lost by a receiver", () => {
  // no attempt ends at its time limit here, however slow the machine is
  beforeAll(() => fixture.restart(undefined, { attemptTimeoutMs: 15_000 }));

  it.each([301, 302, 303, 307, 308])("that redirects with %i, and nothing goes where it points to", async (status) => {
    const other = await aReceiver((response) => response.writeHead(204).end());
    const receiver = await aReceiver((response, nth) => {
      response.writeHead(nth > 1 ? 204 : status, nth > 1 ? {} : { location: other.url }).end();
    });
    expect(await sentTo(receiver)).toMatchObject({ failures: ["HttpStatus", null], codes: [status, 204] });
    expect(other.ids).toEqual([]);
  });

  it("that ends the connection in the middle of its answer", async () => {
    const receiver = await aReceiver((response, nth) => {
      if (nth > 1) return void response.writeHead(204).end();
      response.writeHead(200, { "content-length": "100" });
      return void response.write("half", () => response.destroy());
    });
    expect(await sentTo(receiver)).toMatchObject({ failures: ["ConnectionReset", null], codes: [null, 204] });
  });

  it("that floods with headers", async () => {
    const receiver = await aReceiver((response, nth) => {
      const flood = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`x-${place}`, "y".repeat(10_000)]));
      response.writeHead(nth > 1 ? 204 : 200, nth > 1 ? {} : flood).end();
    });
    expect(await sentTo(receiver)).toMatchObject({ failures: ["ProtocolError", null], codes: [null, 204] });
  });

  it("that floods with a body: no more than its first part is read, and the others get theirs", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    let writtenBytes = 0;
    const flooding = await aReceiver((response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write(piece)) writtenBytes += piece.length;
        if (!response.destroyed) response.once("drain", pour);
      };
      pour();
    });
    const calm = await aReceiver((response) => response.writeHead(204).end());
    const principal = aPrincipal();
    await subscribe(principal, flooding.url);
    await subscribe(principal, calm.url);
    const events = Array.from({ length: 20 }, () => anEvent(principal));
    await fixture.bus.publish(events);
    await allDelivered(principal, 40);
    for (const { ids } of [flooding, calm]) expect(new Set(ids)).toEqual(new Set(events.map(({ id }) => id)));
    // the content of each connection's socket buffers
    expect(writtenBytes / flooding.ids.length).toBeLessThan(16 * 1024 * 1024);
    const [longest] = await fixture.rows<{ bytes: number }>(
      "select max(length(response_body)) as bytes from integration.webhook_attempts where tenant_id = $1",
      decodeId("ten", principal.tenantId ?? ""),
    );
    expect(longest?.bytes).toBe(16 * 1024);
  });

  it("that restarts while webhooks are sent to it", async () => {
    const principal = aPrincipal();
    // It answers only some requests before it ends; the others are under way then.
    const before = await aReceiver((response, nth) => {
      if (nth <= 5) response.writeHead(204).end();
    });
    await subscribe(principal, before.url);
    const events = Array.from({ length: 30 }, () => anEvent(principal));
    await fixture.bus.publish(events);
    await eventually(() => (before.ids.length >= 12 ? true : undefined));
    await closed(before.server);
    const underWay = before.ids.slice(5);
    const failures = await eventually(async () => {
      const failures = (await messagesOf(principal)).flatMap((message) => message.failures.filter(Boolean));
      return failures.length >= underWay.length ? failures : undefined;
    });
    expect(failures).toContain("ConnectionReset");
    const after = await aReceiver((response) => response.writeHead(204).end(), Number(new URL(before.url).port));
    await allDelivered(principal, 30);
    expect(new Set([...before.ids, ...after.ids])).toEqual(new Set(events.map(({ id }) => id)));
    expect(new Set([...before.ids.slice(0, 5), ...after.ids]).size).toBe(30);
    expect(after.ids).toHaveLength(new Set(after.ids).size);
  });
});
