import "reflect-metadata";
import { randomUUID } from "node:crypto";
import { catalogTables } from "@factory/catalog/tables";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import pg from "pg";

const { migrations, ...definition } = catalogTables;
const first = migrations.findIndex(({ name }) => name.endsWith("_schema_origins"));

let database: SuiteDatabase;
let admin: pg.Pool;

beforeAll(async () => {
  database = await aSuiteDatabase("provisioned");
  admin = new pg.Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await admin.end();
  await database.close();
});

describe("versions, validations and executions from before Drafts were replaced", () => {
  it("are of the first revision, and keep their schema as a given one", async () => {
    const connections = schemaConnections(database.access, "catalog");
    expect(first).toBeGreaterThan(0);
    await migrate({ connections, ...definition, migrations: migrations.slice(0, first) });
    const [tenant, template, version, result] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await admin.query(
      `insert into catalog.templates (tenant_id, template_id, name, name_key, tags, status, created_at)
       values ($1, $2, 'Web', 'web', '{}', 'Active', now())`,
      [tenant, template],
    );
    await admin.query(
      `insert into catalog.template_versions (tenant_id, template_version_id, template_id, semantic_version, precedence,
         source_ref, engine_kind, target_framework, parameter_schema, status, created_at)
       values ($1, $2, $3, '1.0.0', '1.0.0', 's', 'DotnetNewTemplatePack', 'net8.0', '{"type": "object"}', 'Draft', now())`,
      [tenant, version, template],
    );
    await admin.query(
      `insert into catalog.validation_results (tenant_id, validation_result_id, template_version_id, checks, outcome,
         findings, samples, validated_at) values ($1, $2, $3, '{}', 'Passed', '[]', 1, now())`,
      [tenant, result, version],
    );
    await migrate({ connections, migrations, ...definition });
    const { rows } = await admin.query(
      `select version.parameter_schema_origin as origin, version.revision, result.revision as validated,
         template.description
       from catalog.template_versions version
       join catalog.validation_results result using (tenant_id, template_version_id)
       join catalog.templates template using (tenant_id, template_id)`,
    );
    expect(rows).toEqual([{ origin: "Given", revision: 1, validated: 1, description: null }]);
  });
});

describe("an execution from before Drafts were replaced", () => {
  it("is of the first revision", async () => {
    const { rows } = await admin.query(
      `select column_default, is_nullable from information_schema.columns
       where table_schema = 'catalog' and table_name = 'executions' and column_name = 'template_revision'`,
    );
    expect(rows).toEqual([{ column_default: "1", is_nullable: "NO" }]);
  });
});
