import { types } from "node:util";
import { EnvironmentError } from "@factory/runtime/environment/read-environment";
import type { PlatformEnvironment } from "../settings/environment.js";

/** Thrown when another process listens on a port that the platform needs. */
export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
}

type Addresses = Pick<PlatformEnvironment, "host" | "port" | "internalPort" | "grpcPort">;

/** Converts a listen error to an error that names the setting to change. Returns undefined for other errors. */
export function listenProblem(error: unknown, addresses: Addresses): Error | undefined {
  if (!types.isNativeError(error)) return undefined;
  // gRPC joins the errors for all addresses into one text and gives no error code.
  const code = /\b(?:EADDRINUSE|EACCES|EADDRNOTAVAIL|ENOTFOUND)\b|^Name resolution failed/.exec(error.message)?.[0];
  if (code === undefined) return undefined;
  const port = /\b(?:EADDRINUSE|EACCES)\b.*?:(\d+)(?![\d:.])/.exec(error.message)?.[1];
  const name = settingOf(Number(port), addresses);
  if (code === "EADDRINUSE")
    return new PortInUseError(
      `Port ${port} is in use. Stop the program that listens on it, or set ${name} to another port.`,
    );
  if (code === "EACCES")
    return port === undefined
      ? undefined
      : new EnvironmentError(`This user may not listen on port ${port}. Set ${name} to a port of at least 1024.`);
  // the database's address may be unknown, too
  if (!error.message.includes(addresses.host)) return undefined;
  return new EnvironmentError(
    `HOST=${addresses.host} is not an address of this machine. Set HOST to one of its addresses.`,
  );
}

function settingOf(port: number, { internalPort, grpcPort }: Addresses): string {
  if (port === internalPort) return "INTERNAL_PORT";
  return port === grpcPort ? "GRPC_PORT" : "PORT";
}
