import { Migration } from '@mikro-orm/migrations';

export class Migration20261121110934_library_revisions extends Migration {

  override name = 'Migration20261121110934_library_revisions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."libraries" add "dependency_keys" text[] not null default '{}', add "revision" int not null default 0;`);
    // the owner, too, sees rows of a tenant only, unless it is let off
    this.addSql(`alter table "catalog"."libraries" no force row level security;`);
    this.addSql(`alter table "catalog"."library_versions" no force row level security;`);
    this.addSql(`update "catalog"."libraries" library set dependency_keys = array(
      select distinct lower(dependency->>'packageName')
      from "catalog"."library_versions" version, jsonb_array_elements(version.dependencies) dependency
      where version.tenant_id = library.tenant_id and version.library_id = library.library_id order by 1);`);
    this.addSql(`alter table "catalog"."libraries" force row level security;`);
    this.addSql(`alter table "catalog"."library_versions" force row level security;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."libraries" drop column "dependency_keys", drop column "revision";`);

  }

}
