import { createHmac } from "node:crypto";
import { deliveryJsonLimit, requestJsonLimit } from "@factory/runtime/input-validation/json-size";
import { allFlags, flagScopes, type HeavyTenant, number, rule, times, writeFlags } from "./heavy-tenant.js";

/** As many members as one document may have beside a few others, which is the most that a parser does in one go. */
const members = requestJsonLimit.members - 20;
const wideObject = () => Object.fromEntries(times(members, (at) => [`k${(at * 7919) % members}`, "a".repeat(20)]));
const smallObjects = () => times(members, (at) => ({ [`k${at}`]: at }));
const smallLists = () => times(requestJsonLimit.values / 2 - 20, () => []);

/** A body whose value is checked and then found to be too long. */
const tooLongValue = (value: () => unknown): HeavyTenant => ({
  scopes: ["config.manage"],
  prepare: async () => ({ method: "PUT", path: "/v1/config/my.heavy", body: { value: value() } }),
});

/** Requests whose bodies are as large as they may be. */
export const heavyBodies: Readonly<Record<string, HeavyTenant>> = {
  "a large body with an Idempotency-Key": {
    scopes: ["notification.send"],
    prepare: async () => {
      const body = { channel: "InApp", recipient: { userId: "none" }, templateKey: "none", data: wideObject() };
      return { method: "POST", path: "/v1/notifications", body, headers: { "idempotency-key": "heavy" } };
    },
  },
  "a large object as a value": tooLongValue(wideObject),
  "many small objects as a value": tooLongValue(smallObjects),
  "many small lists as a value": tooLongValue(smallLists),
  "large parameters of an execution": {
    scopes: ["templates.execute"],
    prepare: async ({ write }) => {
      const { templateId } = await write<{ templateId: string }>("POST", "/v1/templates", { name: "heavy" });
      const body = { templateVersionId: "none", target: { repository: "a/b" }, parameters: wideObject() };
      return {
        method: "POST",
        path: `/v1/templates/${templateId}/execute`,
        body,
        headers: { "idempotency-key": "heavy" },
      };
    },
  },
  "large variables of GraphQL": {
    scopes: ["config.manage"],
    prepare: async () => {
      const query = 'mutation ($value: JSON) { setConfigEntry(key: "my.heavy", input: { value: $value }) { key } }';
      return { method: "POST", path: "/graphql", body: { query, variables: { value: wideObject() } } };
    },
  },
  "a body that has too many members": {
    scopes: ["config.manage"],
    prepare: async () => {
      const value = Object.fromEntries(times(60_000, (at) => [`k${at}`, at]));
      return { method: "PUT", path: "/v1/config/my.heavy", body: { value } };
    },
  },
  "a full configuration value": {
    scopes: ["config.manage"],
    prepare: async () => ({
      method: "PUT",
      path: "/v1/config/heavy",
      body: { value: Object.fromEntries(times(4000, (at) => [`k${(at * 7919) % 4000}`, at])) },
    }),
  },
  "a full context of flags": {
    scopes: flagScopes,
    prepare: async (tools) => {
      await writeFlags(tools, 10, () => []);
      const texts = times(150, (at) => [`attribute${at}`, "a".repeat(390)]);
      return { ...allFlags("a"), body: { context: { targetingKey: "somebody", ...Object.fromEntries(texts) } } };
    },
  },
  "a flag that is written into a full set": {
    scopes: flagScopes,
    prepare: async (tools) => {
      await writeFlags(tools, 1000, () => [
        rule(
          "STR_ENDS_WITH",
          times(9, (at) => `${"a".repeat(190)}${number(at)}`),
        ),
      ]);
      const body = { enabled: true, rolloutPercentage: 50, rules: [rule("STR_ENDS_WITH", ["[<id>]"])] };
      return { method: "PUT", path: "/v1/feature-flags/flag-1", body };
    },
  },
  "a large delivery of a vendor": {
    scopes: ["integration.providers.write", "webhooks.subscriptions.write"],
    prepare: async ({ write }) => {
      const key = "heavy-vendor";
      const { providerId } = await write<{ providerId: string }>("POST", "/integrations/providers", {
        ...{ key, displayName: key, category: "Other", authModel: "HmacSignature", preset: "webhook" },
      });
      const { subscriptionId, signingSecret } = await write<Record<"subscriptionId" | "signingSecret", string>>(
        "POST",
        "/webhooks/subscriptions",
        { direction: "Inbound", providerId, signingSecretRef: "heavy-inbound" },
      );
      const body = {
        providerDeliveryId: "heavy",
        eventName: "widget.created",
        payload: Object.fromEntries(times(deliveryJsonLimit.members - 20, (at) => [`k${at}`, at])),
      };
      const signature = createHmac("sha256", signingSecret).update(JSON.stringify(body)).digest("hex");
      const sourceHeaders = { "x-svc-provider": key, "x-svc-subscription": subscriptionId };
      const headers = { ...sourceHeaders, "x-hub-signature-256": `sha256=${signature}` };
      return { method: "POST", path: "/webhooks/deliveries", body, headers };
    },
  },
};

/** Requests that are refused after their work. */
export const refusedNames: ReadonlySet<string> = new Set([
  "a large body with an Idempotency-Key",
  "a large object as a value",
  "many small objects as a value",
  "many small lists as a value",
  "large parameters of an execution",
  "a body that has too many members",
]);
