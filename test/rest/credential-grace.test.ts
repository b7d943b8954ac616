import { createHmac, randomBytes } from "node:crypto";
import { aCredential, credentialBecomes } from "../kit/credentials.js";
import { aProvider } from "../kit/providers.js";
import { graphql, request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

const aWord = () => randomBytes(6).toString("hex");

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
    const sent: { secret: string; at: number; answer: Promise<number> }[] = [];
    const send = (secret: string) => {
      const raw = JSON.stringify({ providerDeliveryId: aWord(), eventName: "ping", payload: {} });
      const signature = createHmac("sha256", secret).update(raw).digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-svc-provider": key,
        "x-hub-signature-256": `sha256=${signature}`,
      };
      const answer = request("POST /webhooks/deliveries", { headers, raw }).then(({ status }) => status);
      sent.push({ secret, at: Date.now(), answer });
    };
    let secrets = [former];
    const timer = setInterval(() => send(secrets[sent.length % secrets.length] ?? former), 20);
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await post("/integrations/credentials/rotate", { credentialId, secret: { secret: next }, graceSeconds: 4 });
      await credentialBecomes(token, credentialId, "Active");
      secrets = [former, next];
      const query = "query ($id: ID!) { credential(credentialId: $id) { versions { stage graceEndsAt } } }";
      const { body } = await graphql<{ credential: { versions: { stage: string; graceEndsAt: string }[] } }>(query, {
        token,
        variables: { id: credentialId },
      });
      const graceEndsAt = Date.parse(body.data.credential.versions[1]?.graceEndsAt ?? "");
      expect(body.data.credential.versions.map(({ stage }) => stage)).toEqual(["Current", "Previous"]);
      await new Promise((resolve) => setTimeout(resolve, graceEndsAt - Date.now() + 800));
      clearInterval(timer);
      const statuses = await Promise.all(sent.map(async ({ answer, ...rest }) => ({ ...rest, status: await answer })));
      // A request that was under way when the grace period ended may have either answer.
      const inGrace = statuses.filter(({ at }) => at < graceEndsAt - 300);
      const afterwards = statuses.filter(({ at }) => at > graceEndsAt);
      const answersTo = (secret: string, list = afterwards) =>
        new Set(list.filter((delivery) => delivery.secret === secret).map(({ status }) => status));
      expect(inGrace.length).toBeGreaterThan(100);
      expect([answersTo(former, inGrace), answersTo(next, inGrace)]).toEqual([new Set([202]), new Set([202])]);
      expect([answersTo(former), answersTo(next)]).toEqual([new Set([401]), new Set([202])]);
    } finally {
      clearInterval(timer);
    }
  });
});
