import { Migration } from '@mikro-orm/migrations';

export class Migration20261121112849_search_listing extends Migration {

  override name = 'Migration20261121112849_search_listing';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."search_entries" add "unusable" boolean generated always as (frameworks = '{}') stored not null;`);
    this.addSql(`create index "search_entries_listing" on "catalog"."search_entries" ("tenant_id", "source", "unusable", "name_key", "entry_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "catalog"."search_entries_listing";`);
    this.addSql(`alter table "catalog"."search_entries" drop column "unusable";`);
  }

}
