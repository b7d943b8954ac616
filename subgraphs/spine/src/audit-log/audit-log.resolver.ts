import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { AuditRecordFilterInput } from "./audit-record.input.js";
import { type AuditRecordService, sortedAuditRecords } from "./audit-record.service.js";
import { AuditRecordConnection, AuditRecordType } from "./audit-record.type.js";
import type { AuditVerificationService } from "./audit-verification.service.js";
import { AuditVerificationType } from "./audit-verification.type.js";

@Resolver(() => AuditRecordType)
export class AuditLogResolver {
  readonly #records: AuditRecordService;
  readonly #verification: AuditVerificationService;

  constructor(records: AuditRecordService, verification: AuditVerificationService) {
    this.#records = records;
    this.#verification = verification;
  }

  @Query(() => AuditRecordConnection, {
    description: "The audit log of the tenant: all changes, and refused requests. A record appears within seconds.",
  })
  @Auth({ scopes: ["audit.read"] })
  auditRecords(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedAuditRecords) sort: string | null | undefined,
    @Arg("filter", () => AuditRecordFilterInput, { nullable: true }) filter: AuditRecordFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<AuditRecordConnection> {
    return this.#records.list(context, { ...page, sort, filter });
  }

  @Query(() => AuditVerificationType, {
    description:
      "Computes the hashes of the audit log anew and checks its seals. One call checks up to 20,000 records; continue with `nextCursor` while the status is Unfinished. `seal` is the `jws` of an event AuditLogSealed that you kept outside of the platform: the log must still contain what it covers.",
  })
  @Auth({ scopes: ["audit.read"] })
  verifyAuditLog(
    @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
    @Arg("seal", () => String, { nullable: true }) seal: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<AuditVerificationType> {
    return this.#verification.verify(context, after ?? null, seal ?? null);
  }
}
