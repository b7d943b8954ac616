import { enumType } from "@factory/runtime/graphql/enum-type";
import { type CompatibilityRule, compatibilityRules } from "@factory/schema/vocabularies/compatibility";
import { type VersionJump, versionJumps } from "@factory/schema/vocabularies/libraries";
import { Field, Int, ObjectType } from "type-graphql";
import { EvaluatedLibraryType } from "./compatibility.type.js";

@ObjectType("UpgradeBlock", { simpleResolvers: true })
export class UpgradeBlockType {
  @Field({ description: "The newer version that was evaluated." })
  version: string;

  @Field(() => enumType(compatibilityRules), { description: "The rule that the version would break." })
  rule: CompatibilityRule;

  @Field()
  detail: string;

  @Field(() => String, { nullable: true, description: "The other package that prevents the upgrade." })
  packageName: string | null;
}

@ObjectType("PackageUpgrade", { simpleResolvers: true })
export class PackageUpgradeType {
  @Field()
  packageName: string;

  @Field()
  from: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The newest version that this package alone can change to. It is null if the package cannot change alone.",
  })
  to: string | null;

  @Field(() => enumType(versionJumps), {
    nullable: true,
    description: "The part of the version number that changes between `from` and `to`. Null when `to` is null.",
  })
  jump: VersionJump | null;

  @Field({ description: "The newest Published version of the package." })
  newest: string;

  @Field(() => UpgradeBlockType, { nullable: true, description: "The reason why `to` is not the newest version." })
  notNewer: UpgradeBlockType | null;

  @Field({ description: "True when the set with this change alone was evaluated and has no new violations." })
  verified: boolean;
}

@ObjectType("UpgradeChange", { simpleResolvers: true })
export class UpgradeChangeType {
  @Field()
  packageName: string;

  @Field()
  from: string;

  @Field()
  to: string;

  @Field(() => enumType(versionJumps))
  jump: VersionJump;
}

@ObjectType("HeldPackage", { simpleResolvers: true })
export class HeldPackageType {
  @Field()
  packageName: string;

  @Field()
  version: string;

  @Field()
  newest: string;

  @Field(() => UpgradeBlockType, {
    nullable: true,
    description: "The reason why the proposal does not take `newest`. Null when no evaluation has shown one.",
  })
  notNewer: UpgradeBlockType | null;
}

@ObjectType("UpgradeProposal", { simpleResolvers: true })
export class UpgradeProposalType {
  @Field(() => [EvaluatedLibraryType], { description: "The whole set after the changes, in the order of the request." })
  libraries: EvaluatedLibraryType[];

  @Field(() => [UpgradeChangeType], {
    description:
      "Packages that get another version, ordered by name. The version may be a lower one where only that resolves a violation.",
  })
  changes: UpgradeChangeType[];

  @Field(() => [HeldPackageType], { description: "Packages that stay below their newest version, with the reason." })
  held: HeldPackageType[];

  @Field({ description: "True when the whole set was evaluated at these versions and has no violations." })
  compatible: boolean;
}

@ObjectType("LibraryUpgradeAdvice", { simpleResolvers: true })
export class LibraryUpgradeAdviceType {
  @Field(() => [PackageUpgradeType], {
    description: "The upgrade of each package while all others keep their version.",
  })
  upgrades: PackageUpgradeType[];

  @Field(() => UpgradeProposalType, {
    nullable: true,
    description: "The upgrade of all packages together; null when no other compatible set was found.",
  })
  proposal: UpgradeProposalType | null;

  @Field(() => Int, { description: "Number of sets that were evaluated." })
  evaluations: number;

  @Field({ description: "False when the limit of evaluations was reached before everything was tried." })
  complete: boolean;
}
