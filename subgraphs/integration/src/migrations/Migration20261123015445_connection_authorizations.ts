import { Migration } from '@mikro-orm/migrations';

export class Migration20261123015445_connection_authorizations extends Migration {

  override name = 'Migration20261123015445_connection_authorizations';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."connection_authorizations" ("tenant_id" uuid not null, "authorization_id" uuid not null, "connection_id" uuid not null, "ticket_hash" text not null, "state_hash" text null, "browser_hash" text null, "sealed_verifier" text null, "requested_by" text not null, "expires_at" timestamptz not null, "used_at" timestamptz null, primary key ("tenant_id", "authorization_id"));`);
    this.addSql(`create index "connection_authorizations_expired" on "integration"."connection_authorizations" ("expires_at");`);
    this.addSql(`create index "connection_authorizations_of_connection" on "integration"."connection_authorizations" ("tenant_id", "connection_id");`);
    this.addSql(`alter table "integration"."connection_authorizations" add constraint "connection_authorizations_state" unique ("state_hash");`);
    this.addSql(`alter table "integration"."connection_authorizations" add constraint "connection_authorizations_ticket" unique ("ticket_hash");`);

    this.addSql(`alter table "integration"."connection_authorizations" enable row level security;`);
    this.addSql(`alter table "integration"."connection_authorizations" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."connection_authorizations" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."connection_authorizations" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."connection_authorizations" cascade;`);
  }

}
