import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { vulnerabilitySeverities } from "@factory/schema/vocabularies/libraries";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { AdvisorySeverity } from "./advisory-severity.js";

export const VulnerabilitySeverity = enumType(vulnerabilitySeverities);

@ObjectType("AdvisoryImport", { simpleResolvers: true })
export class AdvisoryImportType {
  @Field(() => Int, { description: "Advisories that are new or newer than the stored ones." })
  imported: number;

  @Field(() => Int, { description: "Advisories that the tenant has in the same or in a newer version." })
  unchanged: number;

  @Field(() => Int, { description: "New advisories that affect no package of NuGet. They are not stored." })
  ignored: number;

  @Field(() => [ID], {
    description:
      "The ids of stored advisories that stay as they are, because the newer copy is withdrawn, has a lower severity, or affects fewer packages or versions. While governance.publish.scanSeverity is set, only a person or a service with governance.approve may import it.",
  })
  refused: string[];
}

@ObjectType("AdvisoryDeletion", { simpleResolvers: true })
export class AdvisoryDeletionType {
  @Field(() => Int, {
    description: "Number of advisories that the tenant had and that are gone now. Unknown ids do not count.",
  })
  deleted: number;
}

@ObjectType("AffectedInterval", { simpleResolvers: true })
export class AffectedIntervalType {
  @Field(() => String, { nullable: true, description: "The lowest affected version; null for all lower ones." })
  from: string | null;

  @Field(() => String, { nullable: true, description: "The end of the affected versions; null for all higher ones." })
  to: string | null;

  @Field({ description: "Whether the version `to` is affected too." })
  inclusive: boolean;
}

@ObjectType("PackageAdvisory", { simpleResolvers: true, description: "An imported advisory about a package." })
export class PackageAdvisoryType {
  @Field(() => ID, { description: "The id that its database gave it." })
  advisoryId: string;

  @Field()
  packageName: string;

  @Field(() => VulnerabilitySeverity, { nullable: true, description: "Null where the advisory states none." })
  severity: AdvisorySeverity | null;

  @Field(() => String, { nullable: true, description: "At most 500 characters. Null where the advisory has none." })
  summary: string | null;

  @Field(() => [String], { description: "Ids of the same vulnerability in other databases." })
  aliases: string[];

  @Field(() => String, {
    nullable: true,
    description: "A web page about the vulnerability. Null where the advisory names none.",
  })
  url: string | null;

  @Field(() => [AffectedIntervalType], {
    description: "Ranges of affected versions, the lowest first and at most 100. They do not overlap.",
  })
  intervals: AffectedIntervalType[];

  @Field(() => [String], { description: "Affected versions outside of the intervals." })
  versions: string[];

  @Field(() => DateTime)
  modifiedAt: string;

  @Field(() => DateTime, { nullable: true, description: "A withdrawn advisory affects no version." })
  withdrawnAt: string | null;
}
