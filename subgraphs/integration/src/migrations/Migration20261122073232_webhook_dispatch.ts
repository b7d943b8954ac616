import { Migration } from '@mikro-orm/migrations';

export class Migration20261122073232_webhook_dispatch extends Migration {

  override name = 'Migration20261122073232_webhook_dispatch';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."webhook_breakers" ("tenant_id" uuid not null, "origin" text not null, "openings" int not null, "paused_until" timestamptz not null, primary key ("tenant_id", "origin"));`);
    this.addSql(`create index "webhook_breakers_paused_until" on "integration"."webhook_breakers" ("paused_until");`);

    this.addSql(`create policy "expired" on "integration"."webhook_attempts" to "platform_worker" using (started_at < now() - '12:00:00'::interval);`);

    this.addSql(`alter table "integration"."webhook_messages" drop constraint "webhook_messages_event";`);
    this.addSql(`alter table "integration"."webhook_messages" add "origin" text not null default '', add "claims" int not null default 0, add "envelope" jsonb null;`);
    this.addSql(`create index "webhook_messages_finished_at" on "integration"."webhook_messages" ("finished_at") where finished_at is not null;`);
    this.addSql(`create index "webhook_messages_waiting" on "integration"."webhook_messages" ("tenant_id", "origin", "subscription_id", "next_attempt_at", "position") where status in ('Pending', 'Delivering', 'RetryScheduled');`);
    this.addSql(`alter table "integration"."webhook_messages" add constraint "webhook_messages_event" unique ("tenant_id", "event_id", "subscription_id");`);
    // what waits was sent by jobs until now: it becomes due; the owner sees rows only while the policies are not forced
    for (const table of ["webhook_messages", "webhook_subscriptions"])
      this.addSql(`alter table "integration"."${table}" no force row level security;`);
    this.addSql(`update "integration"."webhook_messages" message
      set origin = regexp_replace(regexp_replace(
            lower(split_part(endpoint_url, '/', 1) || '//' || split_part(split_part(split_part(endpoint_url, '/', 3), chr(63), 1), '#', 1)),
            '^(https://.*):443$', '\\1'), '^(http://.*):80$', '\\1'),
        status = case when message.status = 'Delivering' then case when attempts = 0 then 'Pending' else 'RetryScheduled' end else message.status end,
        next_attempt_at = case when message.status = 'RetryScheduled' then coalesce(next_attempt_at, now()) else now() end
      from "integration"."webhook_subscriptions" subscription
      where subscription.tenant_id = message.tenant_id and subscription.subscription_id = message.subscription_id
        and message.status in ('Pending', 'Delivering', 'RetryScheduled');`);
    for (const table of ["webhook_messages", "webhook_subscriptions"])
      this.addSql(`alter table "integration"."${table}" force row level security;`);
    this.addSql(`create policy "worker" on "integration"."webhook_messages" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "integration"."webhook_breakers" enable row level security;`);
    this.addSql(`alter table "integration"."webhook_breakers" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."webhook_breakers" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."webhook_breakers" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."webhook_breakers" cascade;`);

    this.addSql(`drop policy "expired" on "integration"."webhook_attempts";`);

    this.addSql(`drop policy "worker" on "integration"."webhook_messages";`);

    this.addSql(`drop index "integration"."webhook_messages_finished_at";`);
    this.addSql(`drop index "integration"."webhook_messages_waiting";`);
    this.addSql(`alter table "integration"."webhook_messages" drop constraint "webhook_messages_event";`);
    this.addSql(`alter table "integration"."webhook_messages" drop column "origin", drop column "claims", drop column "envelope";`);
    this.addSql(`alter table "integration"."webhook_messages" add constraint "webhook_messages_event" unique ("tenant_id", "subscription_id", "event_id");`);
  }

}
