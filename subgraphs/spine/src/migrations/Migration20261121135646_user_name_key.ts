import { Migration } from '@mikro-orm/migrations';

export class Migration20261121135646_user_name_key extends Migration {

  override name = 'Migration20261121135646_user_name_key';

  override up(): void | Promise<void> {
    this.addSql(`drop index "spine"."users_name_prefix";`);
    this.addSql(`alter table "spine"."users" add "name_key" text generated always as (lower(display_name)) stored null;`);
    this.addSql(`create index users_name_key_prefix on users (tenant_id, name_key text_pattern_ops) where status <> 'Deleted';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "spine"."users_name_key_prefix";`);
    this.addSql(`alter table "spine"."users" drop column "name_key";`);
    this.addSql(`CREATE INDEX users_name_prefix ON spine.users USING btree (tenant_id, lower(display_name) text_pattern_ops) WHERE (status <> 'Deleted'::text);`);
  }

}
