import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import pg from "pg";
import { serveBareDeliveries } from "./bare-delivery.js";

/** The message that the bench sends to this child process. The child answers when it listens. */
export interface BareServerOrder {
  readonly databaseUrl: string;
  readonly tenantUuid: string;
}

const templateById = {
  name: "template_by_id",
  text: `select template_id as "templateId", name, category, status,
      (select coalesce(jsonb_agg(jsonb_build_object('templateVersionId', template_version_id,
          'semanticVersion', semantic_version, 'status', status, 'targetFramework', target_framework)
          order by created_at desc), '[]')
        from catalog.template_versions version
        where version.tenant_id = template.tenant_id and version.template_id = template.template_id) as versions
    from catalog.templates template where tenant_id = $1 and template_id = $2`,
};

const templatesByName = {
  name: "templates_by_name",
  text: `select template_id as "templateId", name, category, status,
      (select coalesce(jsonb_agg(jsonb_build_object('templateVersionId', template_version_id,
          'semanticVersion', semantic_version, 'status', status, 'targetFramework', target_framework)
          order by created_at desc), '[]')
        from catalog.template_versions version
        where version.tenant_id = template.tenant_id and version.template_id = template.template_id) as versions
    from catalog.templates template where tenant_id = $1 order by name_key limit $2`,
};

/** Reads the data in two statements, as two services would. */
const apiClientByKey = {
  name: "api_client_by_key",
  text: `select api_client_id as "apiClientId" from catalog.api_clients where tenant_id = $1 and key = $2`,
};
const providerByApiClient = {
  name: "provider_by_api_client",
  text: `select key, display_name as "displayName", category, status from integration.providers
    where tenant_id = $1 and api_client_id = $2`,
};

const connectionById = {
  name: "connection_by_id",
  text: `select connection_id as "connectionId", tenant_id as "tenantId", provider_id as "providerId", status, health,
      last_checked_at as "lastCheckedAt", credential_ref as "credentialRef", last_run_id as "lastRunId",
      project_id as "projectId", display_name as "displayName", auth_mode as "authMode", configuration,
      status_reason as "statusReason", health_run_id as "healthRunId", established_at as "establishedAt", version
    from integration.connections where tenant_id = $1 and connection_id = $2`,
};

const insertTemplate = {
  name: "insert_template",
  text: `insert into bare.templates (tenant_id, template_id, name, name_key, category, tags, status, created_at)
    values ($1, $2, $3, $4, $5, '{}', 'Active', $6)`,
};

const insertEvent = {
  name: "insert_event",
  text: "insert into bare.outbox (id, tenant_id, type, envelope) values ($1, $2, 'TemplateRegistered', $3)",
};

interface TemplateBody {
  readonly name: string;
  readonly category: string;
}

/** Serves the same rows and the same body without a token, tenant check, limits or contract. */
async function serve({ databaseUrl, tenantUuid }: BareServerOrder): Promise<string> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  // an idle connection is lost when its server ends; the next query reports that error
  pool.on("error", () => undefined);
  const app = fastify();
  app.get<{ Params: { templateId: string } }>("/v1/templates/:templateId", async ({ params }, reply) => {
    const { rows } = await pool.query({ ...templateById, values: [tenantUuid, params.templateId] });
    return rows[0] ?? reply.code(404).send({ code: "NOT_FOUND" });
  });
  app.get<{ Querystring: { first: string } }>("/v1/templates", async ({ query }) => {
    const { rows } = await pool.query({ ...templatesByName, values: [tenantUuid, Number(query.first)] });
    return { items: rows };
  });
  app.get<{ Params: { id: string } }>("/integrations/connections/:id", async ({ params }, reply) => {
    const { rows } = await pool.query({ ...connectionById, values: [tenantUuid, params.id] });
    return rows[0] ?? reply.code(404).send({ code: "NOT_FOUND" });
  });
  app.get<{ Params: { key: string } }>("/v1/api-clients/:key", async ({ params }) => {
    const result = await pool.query({ ...apiClientByKey, values: [tenantUuid, params.key] });
    const { apiClientId } = result.rows[0] as { apiClientId: string };
    const { rows } = await pool.query({ ...providerByApiClient, values: [tenantUuid, apiClientId] });
    return { apiClientId, ...rows[0], provider: rows[0] };
  });
  app.post<{ Params: { key: string } }>("/ofrep/v1/evaluate/flags/:key", async ({ params }) => {
    return { key: params.key, value: true, variant: "on", reason: "SPLIT" };
  });
  app.post<{ Body: TemplateBody }>("/v1/templates", async ({ body }, reply) => {
    const { name, category } = body;
    const template = { templateId: randomUUID(), name, category, status: "Active", createdAt: new Date() };
    const client = await pool.connect();
    try {
      await client.query("begin");
      const row = [tenantUuid, template.templateId, name, name.toLowerCase(), category, template.createdAt];
      await client.query({ ...insertTemplate, values: row });
      await client.query({ ...insertEvent, values: [randomUUID(), tenantUuid, JSON.stringify(template)] });
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
    return reply.code(201).send(template);
  });
  serveBareDeliveries(app, pool, tenantUuid);
  await app.listen({ host: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

const [order] = (await once(process, "message")) as [BareServerOrder];
process.send?.(await serve(order));
process.once("disconnect", () => process.exit());
