import { ArgsType, Field, Int } from "type-graphql";
import { DomainError } from "../errors/domain-error.js";
import { type Preconditions, versionTag } from "./preconditions.js";

/** The arguments by which a change happens only if nobody else has changed the object. */
@ArgsType()
export class ExpectedVersion {
  @Field(() => Int, {
    nullable: true,
    description:
      "The version that the object has now: for a Draft the revision, and 0 for an object that the change creates. The change is refused with PRECONDITION_FAILED if the object has another one.",
  })
  expectedVersion?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Entity tags such as "7", of which the object has one, or * for any.',
    deprecationReason: "Use `expectedVersion`.",
  })
  ifMatch?: string | null;
}

/** The same for a change that also creates the object. */
@ArgsType()
export class ExpectedVersionOrNone extends ExpectedVersion {
  @Field(() => String, {
    nullable: true,
    description: "With * the object does not exist yet.",
    deprecationReason: "Use `expectedVersion: 0`.",
  })
  ifNoneMatch?: string | null;
}

/** The preconditions that the arguments name. Throws VALIDATION_FAILED where they name them in both ways. */
export function preconditionsOf(args: ExpectedVersion): Preconditions {
  const { expectedVersion, ...preconditions } = args;
  if (expectedVersion == null) return preconditions;
  if (Object.values(preconditions).some((value) => value != null))
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The expected version is given in two ways. Leave out ifMatch and ifNoneMatch.",
      errors: [
        {
          pointer: "/expectedVersion",
          code: "FORMAT",
          detail: "Must not be given together with ifMatch or ifNoneMatch.",
        },
      ],
    });
  const isNew = expectedVersion === 0 && args instanceof ExpectedVersionOrNone;
  return isNew ? { expectsNone: true } : { ifMatch: versionTag(expectedVersion) };
}
