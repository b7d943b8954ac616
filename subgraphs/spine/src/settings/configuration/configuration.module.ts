import { tenantKey } from "@factory/runtime/graphql/entity-reference";
import { heldObjectResolver, keyIdResolver } from "@factory/runtime/graphql/object-fields";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ConfigurationResolver } from "./configuration.resolver.js";
import { ConfigurationService } from "./configuration.service.js";
import { ChangedConfigEntryType, ConfigEntryType } from "./configuration.type.js";
import { ConfigurationChangeService } from "./configuration-change.service.js";
import { ConfigurationEntry } from "./configuration-entry.entity.js";
import { ConfigurationSecrets, sealedConfiguration } from "./configuration-secrets.js";
import { ConfigurationVersion } from "./configuration-version.entity.js";
import { RepositorySchemes } from "./repository-schemes.js";
import { storedSettings, TenantSettings } from "./tenant-settings.js";
import { configurationChannel } from "./write-entry.js";

export interface ConfigurationModuleSettings {
  /** Secret values are sealed under them. */
  readonly masterKeys: MasterKeys;
  /** `scaffold.repositoryBase` may have the URL schemes to which executions may push. Default: https. */
  readonly repositorySchemes?: readonly string[];
}

/** The tenants' configuration entries, and the settings among them on which the spine acts. */
export const configuration: SliceModule<ConfigurationModuleSettings> = {
  slice: "configuration",
  entities: [ConfigurationEntry, ConfigurationVersion],
  events: ["ConfigurationUpdated"],
  async start({ settings: { masterKeys, repositorySchemes = ["https"] }, database, cursors, listener }, services) {
    const secrets = new ConfigurationSecrets(masterKeys);
    const settings = services.add(new TenantSettings(storedSettings(database)));
    await listener.on(configurationChannel, (tenantId) => settings.drop(tenantId));
    services.add(new ConfigurationService(database, cursors));
    services.add(
      new ConfigurationChangeService({
        database,
        secrets,
        settings,
        schemes: new RepositorySchemes(repositorySchemes),
      }),
    );
  },
  sealedTables: ({ masterKeys }) => sealedConfiguration(new ConfigurationSecrets(masterKeys)),
  resolvers: (get) => [
    new ConfigurationResolver(get(ConfigurationService), get(ConfigurationChangeService)),
    keyIdResolver(ConfigEntryType, "cfg"),
    heldObjectResolver(ChangedConfigEntryType, ConfigEntryType, {
      name: "entry",
      description: "The entry after the change. A deleted entry is as it was.",
    }),
  ],
  formerNames: {
    "Mutation.setConfigEntry": "setConfiguration",
    "Mutation.deleteConfigEntry": "deleteConfiguration",
    "Mutation.restoreConfigEntry": "restoreConfiguration",
    "Query.configEntryHistory": "configurationHistory",
  },
  links: {
    "ChangedConfigEntry.approvalId": { to: "Approval" },
  },
  references(get) {
    const service = get(ConfigurationService);
    return {
      ConfigEntry: {
        id: tenantKey("cfg"),
        auth: { scopes: ["config.read"] },
        resolve: ({ key = "" }, context) => service.get(context, key),
      },
    };
  },
};
