import type { SchemaConnections } from "../../connections/schema-connections.js";
import type { Logger } from "../../telemetry/logger.js";
import { jobAccess } from "./access-functions.js";
import { jobTables } from "./job-tables.js";
import { openBoss } from "./open-pg-boss.js";

/** Makes the job tables without queues, which a restored backup fills. No job runs. */
export async function makeEmptyJobTables(connections: SchemaConnections, logger: Logger): Promise<void> {
  const schema = `${connections.schema}_jobs`;
  const boss = openBoss(connections.worker, schema, logger);
  await boss.start();
  try {
    await boss.getDb().executeSql(jobTables(schema));
    await boss.getDb().executeSql(jobAccess(schema, connections.roles.app));
  } finally {
    await boss.stop({ graceful: false });
  }
}
