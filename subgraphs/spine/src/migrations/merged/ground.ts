// Written by `npm run merge-migrations`.

export const ground = [
  `create table spine.revocations (
    tenant_id uuid not null,
    revocation_id uuid not null,
    kind text not null,
    subject text not null,
    expires_at timestamptz not null,
    version bigint not null,
    written_by xid8 not null default pg_current_xact_id(),
    primary key (tenant_id, revocation_id)
  )`,
  `create index revocations_expiry on spine.revocations (expires_at)`,
  `create index revocations_since on spine.revocations (written_by)`,
  `create index revocations_subject on spine.revocations (subject, kind)`,
  `alter table spine.revocations enable row level security, force row level security`,
  `create policy tenant on spine.revocations
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.revocations to "platform_worker" using (true) with check (true)`,

  `create table spine.mails (
    tenant_id uuid not null,
    mail_id uuid not null,
    kind text not null,
    about text not null,
    status text not null,
    created_at timestamptz not null,
    ended_at timestamptz,
    primary key (tenant_id, mail_id)
  )`,
  `create index mails_ended on spine.mails (ended_at) where ended_at is not null`,
  `create index mails_waiting on spine.mails (mail_id) where status = 'Waiting'`,
  `create index mails_about on spine.mails (tenant_id, about)`,
  `alter table spine.mails enable row level security, force row level security`,
  `create policy tenant on spine.mails
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.mails to "platform_worker" using (true) with check (true)`,

  `create table spine.subject_versions (
    tenant_id uuid not null,
    kind text not null,
    subject text not null,
    version bigint not null,
    primary key (tenant_id, kind, subject)
  )`,
  `alter table spine.subject_versions enable row level security, force row level security`,
  `create policy tenant on spine.subject_versions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.subject_versions to "platform_worker" using (true) with check (true)`,
];
