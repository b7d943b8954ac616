import { Migration } from '@mikro-orm/migrations';

export class Migration20261123013112_generated_secrets extends Migration {

  override name = 'Migration20261123013112_generated_secrets';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."credential_versions" add "unseen" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."credential_versions" drop column "unseen";`);
  }

}
