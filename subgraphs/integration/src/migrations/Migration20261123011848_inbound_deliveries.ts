import { Migration } from '@mikro-orm/migrations';

export class Migration20261123011848_inbound_deliveries extends Migration {

  override name = 'Migration20261123011848_inbound_deliveries';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."webhook_deliveries" ("tenant_id" uuid not null, "delivery_id" uuid not null, "provider_id" uuid not null, "provider_key" text not null, "provider_delivery_id" text not null, "event_name" text not null, "normalized_event_type" text not null, "body_sha256" bytea not null, "key_id" text null, "wrapped_key" bytea null, "ciphertext" bytea null, "subscription_id" uuid null, "connection_id" uuid null, "run_id" uuid not null, "status" text not null, "attempts" int not null default 0, "next_attempt_at" timestamptz null, "claims" int not null default 0, "error_code" text null, "error_detail" text null, "trace_id" text not null, "received_at" timestamptz not null default now(), "processed_at" timestamptz null, primary key ("tenant_id", "delivery_id"));`);
    this.addSql(`create index "webhook_deliveries_received_at" on "integration"."webhook_deliveries" ("received_at");`);
    this.addSql(`create index "webhook_deliveries_unhandled" on "integration"."webhook_deliveries" ("tenant_id", "next_attempt_at") where status in ('Accepted', 'Processing', 'Failed');`);
    this.addSql(`create index "webhook_deliveries_by_reception" on "integration"."webhook_deliveries" ("tenant_id", "received_at", "delivery_id");`);
    this.addSql(`alter table "integration"."webhook_deliveries" add constraint "webhook_deliveries_provider_delivery" unique ("tenant_id", "provider_id", "provider_delivery_id");`);

    this.addSql(`alter table "integration"."webhook_subscriptions" add "direction" text not null default 'Outbound', add "provider_id" uuid null;`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "event_type" drop not null;`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "endpoint_url" drop not null;`);

    this.addSql(`alter table "integration"."webhook_deliveries" enable row level security;`);
    this.addSql(`alter table "integration"."webhook_deliveries" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."webhook_deliveries" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."webhook_deliveries" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."webhook_deliveries" cascade;`);

    this.addSql(`alter table "integration"."webhook_subscriptions" drop column "direction", drop column "provider_id";`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "event_type" set not null;`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "endpoint_url" set not null;`);
  }

}
