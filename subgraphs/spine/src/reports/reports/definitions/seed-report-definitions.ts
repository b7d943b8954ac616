import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { ProvisioningStep } from "../../../tenants/tenants/provisioning-step.js";
import { knownReports } from "./known-reports.js";

const seed = {
  name: "report_definitions_seed",
  text: `insert into report_definitions (tenant_id, definition_id, code, created_at)
    select $1, definition_id, code, now() from unnest($2::uuid[], $3::text[]) as known(definition_id, code)
    on conflict (tenant_id, code) do nothing`,
};

/** The provisioning step that gives a tenant its report definitions. A release with a further report names it anew. */
export const seedReportDefinitions: ProvisioningStep = {
  name: "seedReportDefinitions",
  async run({ defer, tenant }) {
    const codes = Object.keys(knownReports);
    const ids = codes.map(() => decodeId("rpd", newId("rpd")));
    await defer(seed, [tenant.uuid, ids, codes]);
  },
};
