import { Migration } from '@mikro-orm/migrations';

const presets = ["clerk", "resend", "shopify", "linear", "jira", "pagerduty", "meta", "microsoft-graph", "okta", "zendesk"];

/** How the deliveries of a provider without a description were read. */
const description = {
  scheme: { kind: "hmac", algorithm: "sha256", header: "x-hub-signature-256", encoding: "hex", prefix: "sha256=", signedContent: "{body}" },
  deliveryId: ["header:x-delivery-id", "header:webhook-id", "body:/providerDeliveryId", "body:/id"],
  eventName: ["header:x-event-name", "body:/eventName", "body:/type"],
};
const member = `"webhook":${JSON.stringify(description)}`;

const named = `coalesce("preset", "key") in (${presets.map((name) => `'${name}'`).join(", ")})`;

/** Providers whose key is now the name of a preset go on to receive what they received. */
export class Migration20261128190100_webhook_presets extends Migration {

  override name = 'Migration20261128190100_webhook_presets';

  override up(): void | Promise<void> {
    // the owner sees rows only while the policies are not forced
    this.addSql(`alter table "integration"."providers" no force row level security;`);
    // as text, so that the numbers of a driver stay as they were sent
    this.addSql(`update "integration"."providers" set "driver" = (case when coalesce(btrim("driver"::text), '{}') = '{}' then '{${member}}' else '{${member},' || substr(ltrim("driver"::text), 2) end)::json where ${named} and "driver"->'webhook' is null;`);
    this.addSql(`alter table "integration"."providers" force row level security;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" no force row level security;`);
    this.addSql(`update "integration"."providers" set "driver" = ("driver"::jsonb - 'webhook')::json where ${named} and ("driver"->'webhook')::jsonb = '${JSON.stringify(description)}'::jsonb;`);
    this.addSql(`alter table "integration"."providers" force row level security;`);
  }

}
