import { Migration } from '@mikro-orm/migrations';

export class Migration20261123030825_vendor_keys extends Migration {

  override name = 'Migration20261123030825_vendor_keys';

  override up(): void | Promise<void> {
    this.addSql(`drop policy "lookup" on "integration"."providers";`);

    this.addSql(`create policy "lookup" on "integration"."providers" for select to "platform_worker" using (status <> 'Retired');`);

    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "signing_secret_ref" drop not null;`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "credential_id" drop not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "lookup" on "integration"."providers";`);

    this.addSql(`create policy "lookup" on "integration"."providers" for select to "platform_worker" using ((status = ANY (ARRAY['Registered'::text, 'Deprecated'::text])));`);

    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "signing_secret_ref" set not null;`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "credential_id" set not null;`);
  }

}
