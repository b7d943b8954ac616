import { generateKeyPairSync, randomUUID } from "node:crypto";
import { rows } from "../kit/database.js";
import { anInboundSource, asSpecified } from "../kit/inbound-sources.js";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";
import { fromSendgrid, type SentDelivery } from "../kit/vendor-senders.js";

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

const send = (path: string, { headers, raw }: SentDelivery) => request(`POST ${path}`, { headers, raw });

const list = async (key: string) => {
  const { body } = await request<{ items: Record<string, unknown>[] }>("GET /integrations/deliveries?limit=100", {
    token,
  });
  return body.items.filter(({ provider }) => provider === key);
};

it("records each event of a list that SendGrid has signed, and one that is sent again only once", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const secret = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  const { deliveryUrl, key } = await anInboundSource(token, { preset: "sendgrid", secret });
  const { pathname, search } = new URL(deliveryUrl);
  const mail = (event: string) => ({ email: "a@b.example", event, sg_event_id: randomUUID() });
  const signedBatch = (mails: readonly unknown[]) => fromSendgrid(privateKey, JSON.stringify(mails));
  const first = [mail("delivered"), mail("bounce"), mail("open")];
  const acceptance = await send(pathname + search, signedBatch(first));
  expect(acceptance.status).toBe(202);
  const deliveries = acceptance.body["deliveries"] as unknown as { deliveryId: string }[];
  expect(new Set(deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(3);
  const again = await send(pathname + search, signedBatch([...first.slice(1), mail("click")]));
  const knownDeliveries = again.body["deliveries"] as unknown as { deliveryId: string }[];
  expect(knownDeliveries.slice(0, 2)).toEqual(deliveries.slice(1));
  const names = (await list(key)).map(({ eventName }) => String(eventName));
  expect(names).toHaveLength(4);
  expect(new Set(names)).toEqual(new Set(["delivered", "bounce", "open", "click"]));
  const other = signedBatch([{ ...first[0], email: "c@d.example" }, mail("open")]);
  const partly = await send(pathname + search, other);
  expect([partly.status, partly.body["conflicts"]]).toEqual([202, [first[0]?.sg_event_id]]);
  expect(partly.body["deliveries"]).toHaveLength(1);
  expect(await list(key)).toHaveLength(5);
  const alteredBatch = { ...signedBatch(first), raw: JSON.stringify([mail("delivered")]) };
  expect((await send(pathname + search, alteredBatch)).status).toBe(401);
});

it("answers 503 while nothing can be written, and takes the same delivery afterwards", async () => {
  const source = await anInboundSource(token);
  const delivery = asSpecified(source, { providerDeliveryId: "held", eventName: "widget.created", payload: {} });
  const name = `full_disk_${source.key.replaceAll("-", "_")}`;
  await rows(`create function ${name}() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await rows(`create trigger ${name} before insert on integration.webhook_deliveries for each row
    when (new.provider_key = '${source.key}') execute function ${name}()`);
  try {
    const refusal = await send("/webhooks/deliveries", delivery);
    expect([refusal.status, refusal.headers.get("retry-after"), refusal.body["code"]]).toEqual([
      503,
      "1",
      "UNAVAILABLE",
    ]);
  } finally {
    await rows(`drop function ${name} cascade`);
  }
  expect(await list(source.key)).toEqual([]);
  expect((await send("/webhooks/deliveries", delivery)).status).toBe(202);
  const { text } = await request("GET /metrics", { base: platform().internalUrl });
  expect(text).toMatch(/inbound_deliveries_total\{outcome="unavailable"\} [1-9]/);
});
