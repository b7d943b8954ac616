import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { CommandType } from "@factory/schema/command-names";
import type { LibraryVersionType } from "../libraries/library.type.js";
import type { LibraryVersionService } from "../libraries/library-version.service.js";
import type { TemplatePromotionService } from "../templates/template-promotion.service.js";
import type { TemplateVersionType } from "../templates/template-version.type.js";
import { type CommandData, checkedData } from "./command-data.js";

interface Promoted {
  PublishTemplateVersion: TemplateVersionType;
  DeprecateTemplateVersion: TemplateVersionType;
  PublishLibraryVersion: LibraryVersionType;
  DeprecateLibraryVersion: LibraryVersionType;
  RetireLibraryVersion: LibraryVersionType;
}

/** Commands that move a version on. */
export type PromotionType = Exclude<CommandType, "ImportLibraryPackage">;

type Ways = { [C in PromotionType]: (context: RequestContext, data: CommandData[C]) => Promise<Promoted[C]> };

/** What moves versions on, by the name of its command; one way in for the bus and for gRPC. */
export class Promotions {
  readonly #ways: Ways;

  constructor(templateVersions: TemplatePromotionService, libraryVersions: LibraryVersionService) {
    this.#ways = {
      PublishTemplateVersion: (context, { templateVersionId }) => templateVersions.publish(context, templateVersionId),
      DeprecateTemplateVersion: (context, { templateVersionId, reason, message, replacementTemplateVersionId }) =>
        templateVersions.deprecate(context, templateVersionId, {
          reason,
          ...given({ message, replacementTemplateVersionId }),
        }),
      PublishLibraryVersion: (context, { libraryVersionId }) => libraryVersions.publish(context, libraryVersionId),
      DeprecateLibraryVersion: (context, { libraryVersionId, reason, message, alternatePackage }) =>
        libraryVersions.deprecate(context, libraryVersionId, { reason, ...given({ message, alternatePackage }) }),
      RetireLibraryVersion: (context, { libraryVersionId, reason }) =>
        libraryVersions.retire(context, libraryVersionId, { reason }),
    };
  }

  async carryOut<C extends PromotionType>(type: C, context: RequestContext, data: unknown): Promise<Promoted[C]> {
    return this.#ways[type](context, checkedData(type, data));
  }
}

/** Protobuf has undefined members where an input has none. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
