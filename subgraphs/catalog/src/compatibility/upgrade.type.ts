import { Field, Int, ObjectType } from "type-graphql";
import { EvaluatedLibraryType } from "./compatibility.type.js";

const jumpDescription = "Major, Minor, Patch or Prerelease.";

@ObjectType("UpgradeBlock", { simpleResolvers: true })
export class UpgradeBlockType {
  @Field({ description: "The newer version that was tried." })
  version: string;

  @Field({ description: "The rule that it would break." })
  rule: string;

  @Field()
  detail: string;

  @Field(() => String, { nullable: true, description: "The other package that stands in the way." })
  packageName: string | null;
}

@ObjectType("PackageUpgrade", { simpleResolvers: true })
export class PackageUpgradeType {
  @Field()
  packageName: string;

  @Field()
  from: string;

  @Field(() => String, { nullable: true, description: "Null: nothing newer can be taken by itself." })
  to: string | null;

  @Field(() => String, { nullable: true, description: jumpDescription })
  jump: string | null;

  @Field({ description: "The newest Published version of all." })
  newest: string;

  @Field(() => UpgradeBlockType, { nullable: true, description: "Why it is not the newest." })
  notNewer: UpgradeBlockType | null;

  @Field({ description: "Evaluated again with this change alone: nothing is broken that was not before." })
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

  @Field({ description: jumpDescription })
  jump: string;
}

@ObjectType("HeldPackage", { simpleResolvers: true })
export class HeldPackageType {
  @Field()
  packageName: string;

  @Field()
  version: string;

  @Field()
  newest: string;

  @Field(() => UpgradeBlockType, { nullable: true })
  notNewer: UpgradeBlockType | null;
}

@ObjectType("UpgradeProposal", { simpleResolvers: true })
export class UpgradeProposalType {
  @Field(() => [EvaluatedLibraryType])
  libraries: EvaluatedLibraryType[];

  @Field(() => [UpgradeChangeType])
  changes: UpgradeChangeType[];

  @Field(() => [HeldPackageType], { description: "Packages that stay below their newest version." })
  held: HeldPackageType[];

  @Field({ description: "The whole set was evaluated at these versions." })
  compatible: boolean;
}

@ObjectType("LibraryUpgradeAdvice", { simpleResolvers: true })
export class LibraryUpgradeAdviceType {
  @Field(() => [PackageUpgradeType], { description: "Each package by itself, while nothing else changes." })
  upgrades: PackageUpgradeType[];

  @Field(() => UpgradeProposalType, {
    nullable: true,
    description: "All together; null where no compatible set was found that differs from the given one.",
  })
  proposal: UpgradeProposalType | null;

  @Field(() => Int, { description: "How many sets were evaluated." })
  evaluations: number;

  @Field({ description: "False: the budget ended before everything was tried." })
  complete: boolean;
}
