import { sealedTextTable } from "@factory/runtime/resealing/sealed-table";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { PersonalDataErasers } from "../people/users/personal-data.js";
import { TenantSettings } from "../settings/configuration/tenant-settings.js";
import { AuditChain } from "./audit-chain.js";
import { ErasureRequest } from "./audit-erasure.entity.js";
import { AuditErasure } from "./audit-erasure.js";
import { ChainHead } from "./audit-head.entity.js";
import { AuditKeyRow } from "./audit-key.entity.js";
import { AuditKeys } from "./audit-keys.js";
import { AuditLogResolver } from "./audit-log.resolver.js";
import { ChainedRecord } from "./audit-record.entity.js";
import { AuditRecordService } from "./audit-record.service.js";
import { AuditRetention } from "./audit-retention.js";
import { ChainSeal } from "./audit-seal.entity.js";
import { AuditSealing } from "./audit-sealing.js";
import { AuditUpkeep } from "./audit-upkeep.js";
import { AuditVerificationService } from "./audit-verification.service.js";

export interface AuditLogSettings {
  readonly masterKeys: MasterKeys;
  /** The calendar for seals and retention; absent: the system clock. */
  readonly clock?: () => Date;
}

const sealOf = ({ masterKeys }: AuditLogSettings) => new ValueSeal(masterKeys.keyring("factory spine audit keys"));

/** The audit log: a record chain per tenant, its seals, its verification and its retention. */
export const auditLog: SliceModule<AuditLogSettings> = {
  slice: "audit-log",
  entities: [ChainedRecord, ChainHead, ChainSeal, AuditKeyRow, ErasureRequest],
  foreignKeys: {
    "audit_records.record_id": {
      to: null,
      why: "It is the id of the record itself, given by the subgraph that wrote it.",
    },
  },
  events: ["AuditLogSealed"],
  async start({ settings, database, workers: pool, cursors, logger, consume, onStarted, onStop }, services) {
    const { clock = () => new Date() } = settings;
    const workers = { pool, schema: "spine" } as const;
    const keys = new AuditKeys(pool, sealOf(settings));
    await keys.load();
    const chain = new AuditChain(workers, clock);
    consume({ group: "audit-log", kind: "audit", types: ["AuditRecord"], handle: (batch) => chain.take(batch) });
    const erasure = new AuditErasure(pool, clock);
    services.get(PersonalDataErasers).add(erasure.request);
    const settingsOfTenants = services.get(TenantSettings);
    const retentionDays = (tenantId: string) => settingsOfTenants.get(tenantWithId(tenantId), "retention.auditLogDays");
    const upkeep = services.add(
      new AuditUpkeep(
        {
          sealing: new AuditSealing({ workers, keys, clock, logger }),
          erasure,
          retention: new AuditRetention({ workers, retentionDays, clock, logger }),
        },
        logger,
      ),
    );
    onStarted(() => upkeep.start());
    onStop(() => upkeep.stop());
    services.add(new AuditRecordService(database, cursors));
    services.add(new AuditVerificationService(database, cursors, keys));
  },
  sealedTables(settings) {
    const seal = sealOf(settings);
    return [
      sealedTextTable({
        label: "factory spine audit keys",
        table: "audit_keys",
        key: { key_id: "text" },
        column: "sealed_key",
        newestKeyId: seal.newestKeyId,
        resealed: (secret, { key_id: keyId = "" }) => seal.open(secret, keyId).resealed ?? secret,
      }),
    ];
  },
  resolvers: (get) => [new AuditLogResolver(get(AuditRecordService), get(AuditVerificationService))],
  links: {
    "AuditRecord.approvalId": { to: "Approval" },
    "AuditRecord.clientId": { to: "ApiClient" },
    "AuditRecord.tenantId": { to: "Tenant" },
  },
  references(get) {
    const service = get(AuditRecordService);
    return {
      AuditRecord: {
        id: { prefix: "aud", field: "recordId" },
        auth: { scopes: ["audit.read"] },
        resolve: ({ recordId = "" }, context) => service.find(context, recordId),
      },
    };
  },
};
