import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CredentialService } from "../../credentials/credentials/credential.service.js";
import { egressService } from "../../ground/egress/egress-service.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { ConnectionEndListeners } from "../connections/connection-end-listeners.js";
import { AccessTokens } from "./access-tokens.js";
import { VendorCredentials } from "./authentication/vendor-credentials.js";
import { CallAttempts } from "./call-attempts.js";
import { VendorCallCounts } from "./call-counts.js";
import { VendorCallOutcomes } from "./call-outcomes.js";
import { ConnectionToken } from "./connection-token.entity.js";
import { deletedConnections } from "./deleted-connections-statement.js";
import { VendorBreakers } from "./exchange/vendor-breakers.js";
import { VendorClients } from "./exchange/vendor-clients.js";
import { VendorSender } from "./exchange/vendor-sender.js";
import { GrantRequests } from "./grant-request.js";
import { VendorMailer } from "./mailer.js";
import { VendorRate } from "./rates/vendor-rate.entity.js";
import { vendorRateRetention } from "./rates/vendor-rate.retention.js";
import { VendorRates } from "./rates/vendor-rates.js";
import { sealedTokens, tokenSeal } from "./sealed-tokens.js";
import { TokenEndpoint } from "./token-endpoint.js";
import { TokenStore } from "./token-store.js";
import { VendorCalls } from "./vendor-calls.js";
import { VendorLogins } from "./vendor-logins.js";
import { VendorProbe } from "./vendor-probe.js";

export interface VendorCallSettings {
  /** The connections' tokens are sealed under them. */
  readonly masterKeys: MasterKeys;
  /** Vendors are called by https only. */
  readonly httpsOnly?: boolean;
  /** The time by which tokens expire. */
  readonly clock?: () => Date;
}

const oneConnection = "Calls that are under way when a connection is deleted still write the row.";

/** Calls vendors through one door: authentication, tokens, rate limits, retries and breakers. */
export const vendorCalls: SliceModule<VendorCallSettings> = {
  slice: "vendor-calls",
  entities: [ConnectionToken, VendorRate],
  foreignKeys: {
    "connection_tokens.connection_id": { to: null, why: "The deletion of a connection deletes its tokens." },
    "vendor_rates.connection_id": { to: null, why: oneConnection },
  },
  events: ["TokenRefreshed", "TokenRefreshFailed"],
  start({ database, settings, onClose }, services) {
    const { masterKeys, httpsOnly = false, clock = () => new Date() } = settings;
    const providers = services.get(ProviderService);
    const credentials = new VendorCredentials(services.get(CredentialService));
    const clients = new VendorClients(services.get(egressService));
    onClose(() => clients.close());
    const breakers = new VendorBreakers();
    const sender = new VendorSender(clients, breakers, httpsOnly);
    const store = services.add(new TokenStore(database, tokenSeal(masterKeys), clock));
    services.get(ConnectionEndListeners).add((transaction, connectionId) => store.forget(transaction, connectionId));
    const counts = services.add(new VendorCallCounts());
    const rates = new VendorRates(database);
    const requests = new GrantRequests({ sender, rates, counts, clock });
    const endpoint = services.add(new TokenEndpoint({ providers, credentials, requests, counts, clock }));
    const tokens = new AccessTokens({ store, endpoint, credentials, clock });
    onClose(() => tokens.settled());
    services.add(new VendorLogins(credentials, tokens));
    const outcomes = services.add(new VendorCallOutcomes());
    const attempts = new CallAttempts({ credentials, tokens, sender, counts, clock });
    const calls = services.add(new VendorCalls({ providers, credentials, attempts, rates, counts, outcomes, clock }));
    const egress = services.get(egressService);
    const mailer = new VendorMailer({ providers, credentials, rates, counts, outcomes, breakers, egress, httpsOnly });
    services.add(mailer);
    services.add(new VendorProbe(calls, tokens, providers, mailer));
  },
  sealedTables: ({ masterKeys }) => [sealedTokens(tokenSeal(masterKeys))],
  retention: () => [vendorRateRetention, deletedConnections],
};
