import { Migration } from '@mikro-orm/migrations';

export class Migration20261128013306_identity_scopes extends Migration {

  override name = 'Migration20261128013306_identity_scopes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" add "identity_scopes" text[] not null default '{}';`);
    this.addSql(`alter table "spine"."users" add "verified_email_key" text null;`);
    // the owner, too, sees rows of a tenant only, unless it is let off
    this.addSql(`alter table "spine"."users" no force row level security;`);
    this.addSql(`alter table "spine"."invitations" no force row level security;`);
    // only the mail to that address had the link by which an invitation is accepted
    this.addSql(`update "spine"."users" person set verified_email_key = person.email_key from "spine"."invitations" invitation
      where invitation.tenant_id = person.tenant_id and invitation.user_id = person.user_id
        and invitation.status = 'Accepted' and invitation.email_key = person.email_key and person.status <> 'Deleted';`);
    this.addSql(`alter table "spine"."users" force row level security;`);
    this.addSql(`alter table "spine"."invitations" force row level security;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" drop column "identity_scopes";`);

    this.addSql(`alter table "spine"."users" drop column "verified_email_key";`);
  }

}
