import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { NotificationChannel } from "../record/notification.states.js";

/** A template and its values, as a request names them. */
export interface TemplateUse {
  readonly channel: NotificationChannel;
  readonly templateKey: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly locale: string | null;
}

/** The plain text that a template gives. It is what lists show, and the whole content of an in-app notification. */
export interface RenderedText {
  readonly title: string | null;
  readonly body: string;
}

/** Renders templates of a tenant. Refuses an unknown template and missing values, with pointers below `/input`. */
export interface TemplateRenderer {
  render(tenant: Tenant, use: TemplateUse): Promise<RenderedText>;
}

/** The renderer of templates, which a slice below registers before the first request. */
export class NotificationTemplates {
  #renderer: TemplateRenderer | undefined;

  use(renderer: TemplateRenderer): void {
    this.#renderer = renderer;
  }

  /** Throws NOT_SUPPORTED without a renderer. */
  async render(tenant: Tenant, use: TemplateUse): Promise<RenderedText> {
    if (this.#renderer) return this.#renderer.render(tenant, use);
    throw new DomainError("NOT_SUPPORTED", {
      detail: "This release has no templates for notifications. Send a body in place of a templateKey.",
      errors: [{ pointer: "/input/templateKey", code: "NOT_SUPPORTED", detail: "Templates are not supported yet." }],
    });
  }
}
