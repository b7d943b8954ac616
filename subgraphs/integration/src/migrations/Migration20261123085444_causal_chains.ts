import { Migration } from '@mikro-orm/migrations';

export class Migration20261123085444_causal_chains extends Migration {

  override name = 'Migration20261123085444_causal_chains';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."event_log" add "correlation_hash" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."event_log" drop column "correlation_hash";`);
  }

}
