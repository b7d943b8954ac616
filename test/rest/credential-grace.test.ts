import { createHmac, randomBytes } from "node:crypto";
import { aCredential, credentialBecomes } from "../kit/credentials.js";
import { eventually } from "../kit/eventually.js";
import { aProvider } from "../kit/providers.js";
import { graphql, request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

const aWord = () => randomBytes(6).toString("hex");

interface Sent {
  readonly secret: string;
  /** When the request began and when it was answered. */
  readonly from: number;
  readonly to: number;
  readonly status: number;
}

describe("a rotation while deliveries arrive", () => {
  it("refuses no delivery of either secret in the grace period, and all of the former one afterwards", async () => {
    const token = await (await aTenant()).tokenWith();
    const post = (path: string, body: unknown) => request<Record<string, string>>(`POST ${path}`, { token, body });
    const [former, next, key] = [randomBytes(24).toString("hex"), randomBytes(24).toString("hex"), `grace-${aWord()}`];
    const { credentialId, credentialRef } = await aCredential(token, {
      kind: "VendorWebhookSecret",
      secret: { secret: former },
    });
    const providerId = await aProvider(token, { key, preset: "webhook" });
    const source = await post("/webhooks/subscriptions", {
      direction: "Inbound",
      providerId,
      signingSecretRef: credentialRef,
    });
    expect([source.status, source.text]).toEqual([201, expect.any(String)]);
    const requests: Sent[] = [];
    const send = async (secret: string) => {
      const raw = JSON.stringify({ providerDeliveryId: aWord(), eventName: "ping", payload: {} });
      const signature = createHmac("sha256", secret).update(raw).digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-svc-provider": key,
        "x-hub-signature-256": `sha256=${signature}`,
      };
      const from = Date.now();
      const { status } = await request("POST /webhooks/deliveries", { headers, raw });
      requests.push({ secret, from, to: Date.now(), status });
    };
    let isSending = true;
    const sendAll = async (secret: string) => {
      while (isSending) await send(secret);
    };
    const senders = [sendAll(former)];
    try {
      await eventually("deliveries arrive", () => requests.length > 5);
      await post("/integrations/credentials/rotate", { credentialId, secret: { secret: next }, graceSeconds: 10 });
      await credentialBecomes(token, credentialId, "Active");
      senders.push(sendAll(next));
      const query = "query ($id: ID!) { credential(credentialId: $id) { versions { stage graceEndsAt } } }";
      const { body } = await graphql<{ credential: { versions: { stage: string; graceEndsAt: string }[] } }>(query, {
        token,
        variables: { id: credentialId },
      });
      const graceEndsAt = Date.parse(body.data.credential.versions[1]?.graceEndsAt ?? "");
      expect(body.data.credential.versions.map(({ stage }) => stage)).toEqual(["Current", "Previous"]);
      // A request that was under way when the grace period ended may have either answer.
      const inGrace = ({ to }: Sent) => to < graceEndsAt;
      const afterwards = ({ from }: Sent) => from > graceEndsAt;
      const answersTo = (secret: string, during: typeof inGrace) =>
        new Set(
          requests.filter((delivery) => delivery.secret === secret && during(delivery)).map(({ status }) => status),
        );
      await eventually("both secrets are used after the grace period", () =>
        [former, next].every((secret) => answersTo(secret, afterwards).size > 0),
      );
      expect([answersTo(former, inGrace), answersTo(next, inGrace)]).toEqual([new Set([202]), new Set([202])]);
      expect([answersTo(former, afterwards), answersTo(next, afterwards)]).toEqual([new Set([401]), new Set([202])]);
    } finally {
      isSending = false;
      await Promise.all(senders);
    }
  });
});
