import { FieldResolver, Resolver, Root } from "type-graphql";
import { ProviderType } from "../../providers/providers/provider.type.js";
import type { RedirectUris } from "./redirect-uris.js";

@Resolver(() => ProviderType)
export class RedirectUriResolver {
  readonly #uris: RedirectUris;

  constructor(uris: RedirectUris) {
    this.#uris = uris;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The redirect URI to register, as a whole, for the OAuth 2 client at the vendor. Null when the driver names no authorizationUrl.",
  })
  redirectUri(@Root() provider: ProviderType): string | null {
    return this.#uris.shown(provider);
  }
}
