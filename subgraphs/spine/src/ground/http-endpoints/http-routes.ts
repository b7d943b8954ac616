import type { HttpRoute } from "./http-route.js";

/** The routes that slices add to the authorization server, by their path. */
export class HttpRoutes {
  readonly #routes: Record<string, HttpRoute> = {};

  get byPath(): Readonly<Record<string, HttpRoute>> {
    return this.#routes;
  }

  add(path: string, route: HttpRoute): void {
    this.#routes[path] = route;
  }
}
