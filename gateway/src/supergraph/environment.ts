/** Disables the exporter that sends metrics to Apollo. Otherwise the gateway's constructor starts it. */
export function disableApolloTelemetry(): void {
  process.env["APOLLO_TELEMETRY_DISABLED"] = "true";
}
