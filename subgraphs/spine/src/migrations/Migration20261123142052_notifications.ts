import { Migration } from '@mikro-orm/migrations';

export class Migration20261123142052_notifications extends Migration {

  override name = 'Migration20261123142052_notifications';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."notifications" ("tenant_id" uuid not null, "notification_id" uuid not null, "message_id" uuid not null, "channel" text not null, "recipient_user_id" uuid null, "recipient_email" text null, "recipient_email_key" text null, "recipient_phone" text null, "subscription_id" uuid null, "status" text not null, "failure_reason" text null, "due_at" timestamptz null, "handle" text null, "created_at" timestamptz not null, "sent_at" timestamptz null, "delivered_at" timestamptz null, "read_at" timestamptz null, primary key ("tenant_id", "notification_id"));`);
    this.addSql(`create index "notifications_created" on "spine"."notifications" ("created_at");`);
    this.addSql(`create index notifications_email on notifications (tenant_id, recipient_email_key) where recipient_email_key is not null;`);
    this.addSql(`create index notifications_handle on notifications (tenant_id, handle) where handle is not null;`);
    this.addSql(`create index notifications_queued on notifications (notification_id) where status = 'Queued';`);
    this.addSql(`create index notifications_unread on notifications (tenant_id, recipient_user_id, notification_id) where channel = 'InApp' and status in ('Sent', 'Delivered');`);
    this.addSql(`create index notifications_recipient on notifications (tenant_id, recipient_user_id, notification_id) where recipient_user_id is not null;`);
    this.addSql(`create index "notifications_channel_status" on "spine"."notifications" ("tenant_id", "channel", "status", "notification_id");`);
    this.addSql(`create index "notifications_channel" on "spine"."notifications" ("tenant_id", "channel", "notification_id");`);
    this.addSql(`create index "notifications_status" on "spine"."notifications" ("tenant_id", "status", "notification_id");`);

    this.addSql(`create table "spine"."notification_messages" ("tenant_id" uuid not null, "message_id" uuid not null, "channel" text not null, "category" text not null, "priority" text not null, "title" text null, "body" text null, "template_key" text null, "data" jsonb null, "locale" text null, "audience" text not null, "role_code" text null, "recipient_count" int not null, "broadcast_after" uuid null, "requested_by" text not null, "correlation_id" text not null, "traceparent" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "message_id"));`);
    this.addSql(`create index "notification_messages_created" on "spine"."notification_messages" ("created_at");`);
    this.addSql(`create index notification_messages_broadcasts on notification_messages (tenant_id, created_at) where audience <> 'Recipients';`);
    this.addSql(`create index notification_messages_continued on notification_messages (message_id) where broadcast_after is not null;`);

    this.addSql(`create table "spine"."notification_preferences" ("tenant_id" uuid not null, "user_id" uuid not null, "channel" text not null, "category" text not null, "enabled" boolean not null, "updated_at" timestamptz not null, primary key ("tenant_id", "user_id", "channel", "category"));`);

    this.addSql(`alter table "spine"."notifications" enable row level security;`);
    this.addSql(`alter table "spine"."notifications" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."notifications" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "spine"."notifications" for select to "platform_worker" using (status = 'Queued');`);
    this.addSql(`create policy "expired" on "spine"."notifications" to "platform_worker" using (created_at < now() - '180 days'::interval);`);

    this.addSql(`alter table "spine"."notification_messages" enable row level security;`);
    this.addSql(`alter table "spine"."notification_messages" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."notification_messages" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "spine"."notification_messages" for select to "platform_worker" using (broadcast_after is not null);`);
    this.addSql(`create policy "expired" on "spine"."notification_messages" to "platform_worker" using (created_at < now() - '181 days'::interval);`);

    this.addSql(`alter table "spine"."notification_preferences" enable row level security;`);
    this.addSql(`alter table "spine"."notification_preferences" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."notification_preferences" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."notifications" cascade;`);
    this.addSql(`drop table if exists "spine"."notification_messages" cascade;`);
    this.addSql(`drop table if exists "spine"."notification_preferences" cascade;`);
  }

}
