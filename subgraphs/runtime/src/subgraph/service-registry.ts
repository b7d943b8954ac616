/** A class, or a key from `serviceKey`: what a service is registered under. */
export interface ServiceKey<T> {
  readonly name: string;
  readonly prototype: T;
}

/** Hands out the service that is registered under a key. */
export type GetService = <T extends object>(key: ServiceKey<T>) => T;

/** The registry as one slice sees it. */
export interface Services {
  /** Registers a service for the slices below this one in the list, under its class unless a key is given. */
  add<T extends object>(service: T, key?: ServiceKey<T>): T;
  /** Throws where no module above in the list has registered the service. */
  readonly get: GetService;
}

/** For a service that has an interface and no class. */
export function serviceKey<T extends object>(name: string): ServiceKey<T> {
  return { name, prototype: Object.prototype as T };
}

/** One subgraph's services. They are registered in the order of its module list. */
export class ServiceRegistry {
  readonly #services = new Map<object, object>();

  /** `slice` is named by the errors. */
  forSlice(slice: string): Services {
    return {
      add: (service, key) => {
        const registeredAs: object = key ?? service.constructor;
        if (this.#services.has(registeredAs))
          throw new Error(`The module "${slice}" registers ${nameOf(registeredAs)}, which is registered already.`);
        this.#services.set(registeredAs, service);
        return service;
      },
      get: <T extends object>(key: ServiceKey<T>): T => {
        const service = this.#services.get(key);
        if (!service)
          throw new Error(
            `The module "${slice}" needs ${key.name}, which no module above it in the list has registered.`,
          );
        return service as T;
      },
    };
  }
}

const nameOf = (key: object) => (key as ServiceKey<object>).name;
