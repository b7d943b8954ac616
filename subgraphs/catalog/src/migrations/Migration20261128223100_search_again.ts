import { Migration } from '@mikro-orm/migrations';

/** Written by hand: the texts of new versions were not searched, and the index had texts of any length. */
export class Migration20261128223100_search_again extends Migration {

  override name = 'Migration20261128223100_search_again';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."templates" no force row level security;`);
    this.addSql(`update "catalog"."templates" set "search_stale" = true where not "search_stale";`);
    this.addSql(`alter table "catalog"."templates" force row level security;`);
  }

  override down(): void | Promise<void> {}

}
