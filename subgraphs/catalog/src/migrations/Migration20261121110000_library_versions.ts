import { Migration } from '@mikro-orm/migrations';

export class Migration20261121110000_library_versions extends Migration {

  override name = 'Migration20261121110000_library_versions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."library_versions" add "dependency_groups" text[] not null default '{}', add "consumes" text[] not null default '{}', add "max_runtime" text null, add "vulnerabilities" jsonb not null default '[]', add "deprecation" jsonb null, add "retirement_reason" text null, add "resolved_ref" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."library_versions" drop column "dependency_groups", drop column "consumes", drop column "max_runtime", drop column "vulnerabilities", drop column "deprecation", drop column "retirement_reason", drop column "resolved_ref";`);
  }

}
