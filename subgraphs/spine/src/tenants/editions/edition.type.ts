import { NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type { EditionFeatures } from "@factory/schema/edition-features";
import { Directive, Field, ID, Int, ObjectType } from "type-graphql";
import { selfServiceDescription } from "./edition.input.js";

const featuresDescription =
  "The features by key. Each has a kind and the members of its kind: boolean (enabled), limit (limit), metered (limit, period, soft) or config (value). A limit of null means unlimited.";

const trialDescription = "The length of the trial that a new tenant gets. 0: no trial.";

@ObjectType("Edition", {
  implements: NodeType,
  simpleResolvers: true,
  description: "A plan that tenants can subscribe to, with its features.",
})
@Directive('@key(fields: "id")')
export class EditionType {
  @Field(() => ID)
  code: string;

  @Field()
  name: string;

  @Field(() => String, {
    nullable: true,
    description: "A note for people, at most 1,000 characters. Null if the edition has none.",
  })
  description: string | null;

  @Field(() => Int, { description: trialDescription })
  trialDays: number;

  @Field(() => JsonObject, { description: featuresDescription })
  features: EditionFeatures;

  @Field({ description: "False for a retired edition: tenants that have it keep it, and others cannot choose it." })
  active: boolean;

  @Field({ description: selfServiceDescription })
  selfService: boolean;

  @Field(() => Int, { description: "Ascends with each change." })
  version: number;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime)
  updatedAt: string;
}

@ObjectType("EditionVersion", {
  simpleResolvers: true,
  description: "An edition as it was from one change to the next.",
})
export class EditionVersionType {
  @Field(() => Int, { description: "The version of the edition after this change, which revertEdition takes." })
  version: number;

  @Field()
  name: string;

  @Field(() => String, {
    nullable: true,
    description: "A note for people, at most 1,000 characters. Null if the edition had none.",
  })
  description: string | null;

  @Field(() => Int, { description: trialDescription })
  trialDays: number;

  @Field(() => JsonObject, { description: featuresDescription })
  features: EditionFeatures;

  @Field()
  active: boolean;

  @Field()
  selfService: boolean;

  @Field(() => DateTime)
  changedAt: string;

  @Field({ description: "The subject of the token that made the change." })
  changedBy: string;

  @Field(() => Int, { nullable: true, description: "The earlier version that this change restored." })
  revertedFrom: number | null;
}

export const EditionConnection = connectionType("Edition", () => EditionType, "In the order of their codes.");
export type EditionConnection = Connection<EditionType>;
