import { type ValueOf, vocabulary } from "./vocabulary.js";

export const credentialStatuses = vocabulary("CredentialStatus", "The states of a credential.", {
  Active: "The current version is in use.",
  Rotating: "A new version waits for its verification. The current one stays in use.",
  RotationFailed: "The last rotation has failed. The current version stays in use.",
  Expired: "The vendor no longer accepts the secret.",
  Revoked: "The credential is never used again.",
});
export type CredentialStatus = ValueOf<typeof credentialStatuses>;

export const credentialVersionStages = vocabulary("CredentialVersionStage", "The stages of a credential's version.", {
  AwaitingMaterial: "The version has no secret yet.",
  Pending: "The version waits for its verification.",
  Current: "The version is in use.",
  Previous: "The version was replaced and stays valid until its grace period ends.",
  Retired: "The version is not used any more.",
  Failed: "The verification has failed.",
});
export type CredentialVersionStage = ValueOf<typeof credentialVersionStages>;

export const credentialKinds = vocabulary("CredentialKind", "The kinds of credentials.", {
  WebhookSigning: "A key that signs webhooks, or verifies a vendor's deliveries.",
  ApiKey: "An API key.",
  Basic: "A user name and a password.",
  BearerToken: "A token for the header Authorization.",
  SshKey: "A private key for SSH.",
  OAuth2Client: "The id and the secret, or the key, of an OAuth 2 client.",
  JwtBearer: "A private key that signs JWT assertions.",
  HmacSignature: "A key that signs requests, or verifies a vendor's deliveries.",
  MutualTls: "A client certificate with its private key.",
  VendorWebhookSecret: "A secret that verifies a vendor's deliveries.",
  Custom: "Another secret, which the platform only stores.",
});
export type CredentialKind = ValueOf<typeof credentialKinds>;

export const rotationReasons = vocabulary("RotationReason", "The reasons for a rotation.", {
  ScheduledRotation: "The schedule of the credential asks for it.",
  ManualRotation: "A caller asks for it without another reason.",
  ExpiryApproaching: "The secret expires soon.",
  CompromiseSuspected: "Somebody else may know the secret. The grace period is zero.",
  OwnerChanged: "The credential has a new owner.",
  ProviderRequested: "The vendor asks for it.",
});
export type RotationReason = ValueOf<typeof rotationReasons>;
