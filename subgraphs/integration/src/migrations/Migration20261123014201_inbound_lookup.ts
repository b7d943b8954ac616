import { Migration } from '@mikro-orm/migrations';

export class Migration20261123014201_inbound_lookup extends Migration {

  override name = 'Migration20261123014201_inbound_lookup';

  override up(): void | Promise<void> {
    this.addSql(`create index "connections_lookup" on "integration"."connections" ("connection_id") where status <> 'Deleted';`);

    this.addSql(`create policy "lookup" on "integration"."credentials" for select to "platform_worker" using (status in ('Active', 'Rotating', 'RotationFailed'));`);

    this.addSql(`create index "providers_of_key" on "integration"."providers" ("key");`);
    this.addSql(`create policy "lookup" on "integration"."providers" for select to "platform_worker" using (status in ('Registered', 'Deprecated'));`);

    this.addSql(`create index "webhook_subscriptions_lookup" on "integration"."webhook_subscriptions" ("subscription_id") where status = 'Active';`);
    this.addSql(`create policy "lookup" on "integration"."webhook_subscriptions" for select to "platform_worker" using (status = 'Active');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "lookup" on "integration"."credentials";`);

    this.addSql(`drop policy "lookup" on "integration"."providers";`);

    this.addSql(`drop policy "lookup" on "integration"."webhook_subscriptions";`);

    this.addSql(`drop index "integration"."connections_lookup";`);

    this.addSql(`drop index "integration"."providers_of_key";`);

    this.addSql(`drop index "integration"."webhook_subscriptions_lookup";`);
  }

}
