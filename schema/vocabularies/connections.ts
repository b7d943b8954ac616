import { type ValueOf, vocabulary } from "./vocabulary.js";

export const connectionStatuses = vocabulary("ConnectionStatus", "The states of a connection.", {
  Active: "The connection may be used.",
  Suspended: "A caller has suspended the connection.",
  AuthorizationRequired: "A person has to allow the use of the account at the vendor.",
  Disabled: "The connection is not used until a probe of it passes.",
  Deleted: "The connection is deleted. Lists do not show it.",
});
export type ConnectionStatus = ValueOf<typeof connectionStatuses>;

export const connectionHealths = vocabulary("ConnectionHealth", "The results of the health checks of a connection.", {
  Healthy: "The last checks have passed.",
  Degraded: "Some of the last checks have failed.",
  Unhealthy: "The last checks have failed.",
  Unknown: "There was no check yet, or there is none for this connection.",
});
export type ConnectionHealth = ValueOf<typeof connectionHealths>;

/** The ways that models and modes of authentication share. */
const authentications = {
  OAuth2ClientCredentials: "OAuth 2 with the grant client_credentials.",
  OAuth2AuthorizationCode: "OAuth 2 with the consent of a person.",
  ApiKey: "An API key in a header or in the query.",
  Basic: "A user name and a password (RFC 7617).",
  BearerToken: "A token in the header Authorization (RFC 6750).",
  OAuth1: "OAuth 1.0.",
  JwtBearer: "A signed JWT in exchange for a token (RFC 7523).",
  TwoStep: "A sign-in call that gives a session.",
  AppInstallation: "A token for one installation of an app.",
  AwsSigV4: "AWS Signature Version 4.",
  MutualTls: "A client certificate.",
  HmacSignature: "A signature over each request.",
  None: "No authentication.",
  Custom: "Another way.",
};

export const authModes = vocabulary(
  "AuthMode",
  "The ways in which a connection authenticates at its vendor.",
  authentications,
);
export type AuthMode = ValueOf<typeof authModes>;

export const authModels = vocabulary("AuthModel", "The ways in which the clients of a provider authenticate.", {
  OAuth2: "OAuth 2. The authMode of each connection says which grant is used.",
  ...authentications,
});
export type AuthModel = ValueOf<typeof authModels>;
