import { createServer } from "node:net";
import type { PlatformEnvironment } from "../settings/environment.js";
import { listenProblem } from "./listen-problem.js";

/** Rejects when the gRPC server could not listen. It starts last, when much has been written already. */
export async function checkGrpcPort(environment: PlatformEnvironment): Promise<void> {
  const { host, grpcPort } = environment;
  if (grpcPort === 0) return;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenProblem(error, environment) ?? error));
    server.listen(grpcPort, host, () => server.close(() => resolve()));
  });
}
