import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { EventSubject } from "./event-subject.type.js";
import { PlatformEventType } from "./platform-event.type.js";
import type { SubjectReferences } from "./subject-references.js";

@Resolver(() => PlatformEventType)
export class PlatformEventResolver {
  readonly #subjects: SubjectReferences;

  constructor(subjects: SubjectReferences) {
    this.#subjects = subjects;
  }

  @FieldResolver(() => EventSubject, {
    nullable: true,
    description: "The object that subjectPath names. Null if its type has no key, or if it no longer exists.",
  })
  subject(@Root() { subjectPath }: PlatformEventType, @Ctx() context: RequestContext): Promise<object | null> {
    return this.#subjects.resolve(subjectPath, context);
  }
}
